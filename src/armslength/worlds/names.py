"""Words that the mock purchase is made of: goods, makers, customers, streets. Data only."""

from __future__ import annotations

from typing import NamedTuple


class Goods(NamedTuple):
    """A kind of product and the attributes that its variants come in.

    Attributes:
        kind: what a customer calls it.
        colours: what a customer names at once.
        materials: what some customers name at once.
        traits: what a customer cares about and says only when asked.
        reasons: why, for each trait.
    """

    kind: str
    colours: tuple[str, ...]
    materials: tuple[str, ...]
    traits: tuple[str, ...]
    reasons: tuple[str, ...]


GOODS = (
    Goods(
        "desk lamp",
        ("black", "ivory", "copper", "olive"),
        ("steel", "ceramic", "bamboo"),
        ("dimmable", "clamp mounted", "battery powered"),
        ("I read late beside a sleeping child", "the table is crowded", "there is no socket near the desk"),
    ),
    Goods(
        "rain jacket",
        ("yellow", "navy", "burgundy", "grey"),
        ("nylon", "waxed cotton", "recycled polyester"),
        ("with a removable hood", "cut long", "packable into its pocket"),
        ("hoods bother me on the bicycle", "I am rather tall", "I carry it on the train every day"),
    ),
    Goods(
        "kitchen scale",
        ("white", "silver", "mint", "red"),
        ("glass", "steel", "plastic"),
        ("rechargeable", "readable in ounces", "waterproof"),
        ("I am tired of buying batteries", "my recipes are American", "I bake with wet hands"),
    ),
    Goods(
        "garden bench",
        ("brown", "green", "white", "charcoal"),
        ("teak", "cast iron", "acacia"),
        ("foldable", "with armrests", "for three people"),
        ("it spends the winter in a shed", "my father needs to push himself up", "the grandchildren visit"),
    ),
    Goods(
        "travel kettle",
        ("cream", "black", "blue", "rose"),
        ("steel", "silicone", "enamel"),
        ("dual voltage", "switching itself off", "very quiet"),
        ("I am moving between two countries", "I am forgetful", "the hotel walls are thin"),
    ),
    Goods(
        "wool rug",
        ("beige", "rust", "indigo", "moss"),
        ("merino", "jute blend", "felt"),
        ("washable", "with an anti-slip back", "safe for floor heating"),
        ("we have a puppy", "the parquet is slippery", "the floor is warm in winter"),
    ),
    Goods(
        "bookshelf",
        ("white", "walnut", "sage", "black"),
        ("oak", "pine", "birch plywood"),
        ("with adjustable shelves", "fixed to the wall", "delivered assembled"),
        ("I own large atlases", "my toddler climbs everything", "I have no tools at all"),
    ),
    Goods(
        "coffee grinder",
        ("black", "chrome", "cherry", "sand"),
        ("aluminium", "beech", "glass"),
        ("fine enough for espresso", "hand cranked", "easy to take apart"),
        ("I own an espresso machine", "I go camping with it", "I cannot stand old grounds"),
    ),
)

MAKERS = (
    "Aldermoor", "Brightwell", "Castellane", "Dunmore", "Everdale", "Fjordhus", "Greyfriar", "Holloway",
    "Ingleby", "Juniper", "Kestrel", "Lindqvist", "Marlowe", "Northgate", "Ostrava", "Pemberton",
    "Quillon", "Rosendal", "Silverbrook", "Tamsin", "Umbria", "Valemont", "Westerly", "Yarrow",
)  # fmt: skip

MODELS = (
    "Anchor", "Breeze", "Cinder", "Drift", "Ember", "Fable", "Glade", "Harbour", "Isle", "Jetty", "Keel",
    "Lantern", "Meadow", "Nimbus", "Orchard", "Pebble", "Quarry", "Ripple", "Sparrow", "Thistle", "Upland",
    "Violet", "Willow", "Zephyr",
)  # fmt: skip

FIRST_NAMES = (
    "Amina", "Bastian", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "Ingrid", "Jonas", "Katya",
    "Leif", "Marta", "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Samuel", "Tamar", "Ulrike", "Viktor",
    "Wanda", "Yusuf",
)  # fmt: skip

LAST_NAMES = (
    "Abernathy", "Bellini", "Cordero", "Dahl", "Eriksen", "Fontaine", "Goldberg", "Haddad", "Ivanova",
    "Jansen", "Kowalski", "Lehmann", "Moreau", "Novak", "Okafor", "Petrov", "Quispe", "Rahman", "Sandoval",
    "Tanaka", "Urban", "Vasquez", "Whitfield", "Zhang",
)  # fmt: skip

STREETS = (
    "Acacia Lane", "Bridge Street", "Chapel Row", "Dove Court", "Elm Terrace", "Foundry Road", "Garden Walk",
    "Heron Quay", "Ivy Close", "Jubilee Square", "Kiln Yard", "Linden Avenue", "Mill Race", "Nettle Hill",
    "Orchard Way", "Priory Gate", "Quince Alley", "Rowan Drive", "Station Parade", "Tanner Street",
    "Union Crescent", "Vineyard Path", "Weaver Lane", "Yew Grove",
)  # fmt: skip

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

COUPONS = (
    "SPRINGTIME",
    "WELCOMEBACK",
    "NEIGHBOUR",
    "LUCKYLEAF",
    "HARVEST",
    "SNOWDROP",
    "FRIENDSHIP",
    "REGATTA",
)

SHOPS = ("Harbour and Hearth", "The Copper Kettle", "Marigold House", "Northlight Stores", "Old Mill Goods")
