/** Header fields that make a browser treat the body only as an image: an SVG may contain a script. */
export const imageHeaders = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
};
