/**
 * The script of the API reference. "Try it out" fills in the examples of parameters; for an optional parameter that
 * would be an unwanted filter. So the page removes the examples of optional parameters; /v1/openapi.json keeps them.
 */
export const docsScript = `const withoutExamples = ({ example, examples, ...rest }) => rest;

const shown = (parameter) =>
  parameter.required ? parameter : { ...withoutExamples(parameter), schema: withoutExamples(parameter.schema ?? {}) };

// Besides operations, a path may have a summary or parameters.
const shownOperation = (operation) =>
  Array.isArray(operation?.parameters) ? { ...operation, parameters: operation.parameters.map(shown) } : operation;

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

// The reference has its own dark theme, under this class.
const darkness = matchMedia("(prefers-color-scheme: dark)");
const follow = () => window.document.documentElement.classList.toggle("dark-mode", darkness.matches);
darkness.addEventListener("change", follow);
follow();

// Read at once: the reference replaces the hash, for example with #/not_found.
const target = window.document.getElementById(location.hash.slice(1));

async function start() {
  const answer = await fetch("/v1/openapi.json");
  if (!answer.ok) throw new Error("/v1/openapi.json answers " + answer.status);
  const document = await answer.json();
  SwaggerUIBundle({
    spec: { ...document, paths: mapValues(document.paths, (path) => mapValues(path, shownOperation)) },
    dom_id: "#reference",
    deepLinking: true,
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null,
    onComplete: scrollToTarget,
  });
}

// The browser scrolled to the target before the reference above it reached its final height, in several steps.
function scrollToTarget() {
  if (target === null) return;
  history.replaceState(null, "", "#" + target.id);
  const resized = new ResizeObserver(() => target.scrollIntoView());
  resized.observe(window.document.getElementById("reference"));
  for (const ending of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    window.addEventListener(ending, () => resized.disconnect(), { once: true });
  }
}

start().catch((error) => {
  const reference = window.document.getElementById("reference");
  reference.textContent = "The reference cannot be shown (" + error.message + "). Reload the page to try again.";
});
`;
