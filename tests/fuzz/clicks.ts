import fc from "fast-check";
import { botKinds, type CapturedClick, type ClickTarget, type Place, Shared } from "../../src/clicks/click.ts";

const text = fc.oneof(
  fc.constantFrom("", "de", "https://example.com/?a=1"),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const number = fc.nat({ max: 3 });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

/** Shared values, and clicks that refer to them by index: the encoder stores its state in a shared value. */
export const clickPlan = fc.record({
  targets: fc.array(
    fc.record<ClickTarget>({
      workspaceId: fc.nat(),
      linkId: text,
      domainId: text,
      domain: text,
      key: text,
      url: text,
    }),
    { minLength: 4, maxLength: 4 },
  ),
  places: fc.array(fc.record<Place>({ country: text, region: text, city: text, continent: text }), {
    minLength: 4,
    maxLength: 4,
  }),
  texts: fc.array(text, { minLength: 4, maxLength: 4 }),
  turns: fc.array(
    fc.array(
      fc.record({
        target: number,
        place: number,
        referer: number,
        agent: number,
        language: number,
        url: fc.oneof(fc.constant(undefined), text, number),
        trigger: fc.constantFrom("link" as const, "qr" as const),
        bot: fc.constantFrom("" as const, ...botKinds),
        visitorHigh: int32,
        visitorLow: int32,
      }),
      { minLength: 1, maxLength: 5 },
    ),
    { minLength: 1, maxLength: 12 },
  ),
});

type ClickPlan = typeof clickPlan extends fc.Arbitrary<infer Plan> ? Plan : never;

/** The clicks of a plan, by the tick in which they are written. Each has a distinct time. */
export function clicksOf({ targets, places, texts, turns }: ClickPlan): CapturedClick[][] {
  const sharedTargets = targets.map((value) => new Shared(value));
  const sharedPlaces = places.map((value) => new Shared(value));
  const sharedTexts = texts.map((value) => new Shared(value));
  let time = Date.UTC(2026, 10, 21);
  return turns.map((clicks) =>
    clicks.map(({ target, place, referer, agent, language, url, ...rest }) => ({
      ...rest,
      time: time++,
      target: at(sharedTargets, target),
      place: at(sharedPlaces, place),
      referer: at(sharedTexts, referer),
      agent: at(sharedTexts, agent),
      language: at(sharedTexts, language),
      url: typeof url === "number" ? at(sharedTexts, url) : url,
    })),
  );
}

function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new Error(`There is no value ${index}.`);
  return value;
}
