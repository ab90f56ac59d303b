/** TABLE of the shades, from nothing to the maximum, as backgrounds and as fills. */
export const shadeGrounds = ["bg-sunken", "bg-accent/15", "bg-accent/35", "bg-accent/55", "bg-accent/75", "bg-accent"];
export const shadeFills = [
  "fill-sunken",
  "fill-accent/20",
  "fill-accent/40",
  "fill-accent/60",
  "fill-accent/80",
  "fill-accent",
];
