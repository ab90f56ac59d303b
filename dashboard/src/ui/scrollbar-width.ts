/** Measures the width that a scrollbar takes, and sets it as --scrollbar-width; 0px where scrollbars overlay the page. */
export function setScrollbarWidth(): void {
  const box = document.createElement("div");
  box.style.overflow = "scroll";
  box.style.position = "absolute";
  document.documentElement.append(box);
  document.documentElement.style.setProperty("--scrollbar-width", `${box.offsetWidth - box.clientWidth}px`);
  box.remove();
}
