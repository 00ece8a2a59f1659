"""armslength: is a reward for an LLM agent at arm's length from the policy that is paid by it?"""
