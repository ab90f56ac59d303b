/** TABLE of the shades, from nothing to the maximum, as backgrounds and as fills. */
export const shadeGrounds = ["bg-sunken", "bg-accent/20", "bg-accent/40", "bg-accent/60", "bg-accent/80", "bg-accent"];
export const shadeFills = [
  "fill-sunken",
  "fill-accent/20",
  "fill-accent/40",
  "fill-accent/60",
  "fill-accent/80",
  "fill-accent",
];
