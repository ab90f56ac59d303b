import { useMutation } from "@tanstack/react-query";
import { Route } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { instantAt } from "../base/time-text.ts";
import { variantLetter } from "../base/variant-letter.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CountryInput, LanguageInput, useCountryCode, useLanguageCode } from "../ui/code-input.tsx";
import { DateField } from "../ui/date-field.tsx";
import { Drawer } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useFieldErrorOf } from "../ui/error-text.tsx";
import { Field, Input, Select } from "../ui/field.tsx";
import { useFocusFirstError } from "../ui/use-focus-first-error.ts";
import { conditionsText } from "./conditions-text.ts";
import { LinkAbout } from "./link-about.tsx";
import { useLink } from "./links-api.ts";

/** TABLE of user agents to choose from. */
const agents = {
  "iPhone · Safari":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  "Android · Chrome":
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
  "Windows · Chrome":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  "Mac · Safari":
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
  "Linux · Firefox": "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
  "iPad · Safari":
    "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
  Googlebot: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  Slackbot: "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
} as const;
type Agent = keyof typeof agents;
const agentNames = Object.keys(agents).filter((name): name is Agent => Object.hasOwn(agents, name));

type Visitor = { agent: Agent } & Record<"country" | "region" | "language" | "query" | "password" | "at", string>;

const firstVisitor: Visitor = {
  agent: "iPhone · Safari",
  country: "",
  region: "",
  language: "",
  query: "",
  password: "",
  at: "",
};

/** Describes a visitor, and shows where the link would send them and why; first for a visitor without attributes. */
export function WhyDrawer({ linkId, onClose }: { linkId: string; onClose(): void }) {
  const { links } = useTexts();
  const fieldErrorOf = useFieldErrorOf();
  const { api } = useWorkspace();
  const [visitor, setVisitor] = useState(firstVisitor);
  const [isSubmitted, setSubmitted] = useState(false);
  const resolution = useMutation({
    mutationFn: (tested: Visitor) =>
      answerOf(api.POST("/links/{linkId}/resolve", { params: { path: { linkId } }, body: bodyOf(tested) })),
  });
  const { mutate } = resolution;
  useEffect(() => mutate(firstVisitor), [mutate]);
  const [countryOf, languageOf] = [useCountryCode(), useLanguageCode()];
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, resolution.error);
  const set = (changes: Partial<Visitor>) => {
    setVisitor((before) => ({ ...before, ...changes }));
    // An answer about another visitor, and the error of a value that has changed, would mislead.
    resolution.reset();
  };
  const run = (described: Visitor) => {
    const { country, language } = described;
    const tested = { ...described, country: countryOf(country), language: languageOf(language) };
    setVisitor(tested);
    mutate(tested);
  };
  const { why } = links;
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={why.title}
      about={<LinkAbout linkId={linkId}>{why.about}</LinkAbout>}
      footer={
        <Button variant="primary" type="submit" form="why" isBusy={resolution.isPending}>
          {why.ask}
        </Button>
      }
    >
      <div className="grid gap-5">
        {/* Above the form, where it stays in view on a phone, too; rendered before the answer, so that screen readers
            announce it. */}
        <div
          role="status"
          className="z-10 -mt-5 bg-surface pt-5 [@media(min-height:40rem)]:sticky [@media(min-height:40rem)]:-top-5"
        >
          {resolution.data === undefined ? (
            <p className={classNames(answerClass, "place-content-center text-muted")}>
              {!resolution.isPending && why.untested}
            </p>
          ) : (
            <Answer
              key={resolution.submittedAt}
              linkId={linkId}
              answer={resolution.data}
              isSubmitted={isSubmitted}
              hasPassword={(resolution.variables?.password ?? "") !== ""}
            />
          )}
        </div>
        <form
          ref={form}
          id="why"
          className="grid gap-4 sm:grid-cols-2 [&_:is(input,select)]:scroll-mt-40"
          onSubmit={(event) => {
            event.preventDefault();
            setSubmitted(true);
            run(visitor);
          }}
        >
          <Field label={why.agent}>
            <Select
              value={visitor.agent}
              // A choice is complete, unlike a text, so its test runs at once.
              onChange={(event) =>
                run({ ...visitor, agent: agentNames.find((name) => name === event.target.value) ?? "Googlebot" })
              }
            >
              {agentNames.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          </Field>
          <Field label={why.country} fieldError={fieldErrorOf(resolution.error, "country")}>
            <CountryInput value={visitor.country} onChange={(event) => set({ country: event.target.value })} />
          </Field>
          <Text name="region" label={why.region} placeholder="US-CA" {...{ visitor, set, error: resolution.error }} />
          <Field label={why.language} fieldError={fieldErrorOf(resolution.error, "language")}>
            <LanguageInput value={visitor.language} onChange={(event) => set({ language: event.target.value })} />
          </Field>
          <Text name="query" label={why.query} placeholder="?src=mail" {...{ visitor, set, error: resolution.error }} />
          <Text name="password" label={why.password} {...{ visitor, set, error: resolution.error }} />
          <Field label={why.at} fieldError={fieldErrorOf(resolution.error, "at")}>
            <DateField kind="instant" value={visitor.at} onChange={(at) => set({ at })} />
          </Field>
        </form>
        <ErrorNote
          error={resolution.error}
          shownFields={["country", "region", "language", "query", "password", "at"]}
        />
      </div>
    </Drawer>
  );
}

type TextProps = {
  name: Exclude<keyof Visitor, "agent" | "country" | "language" | "at">;
  label: string;
  placeholder?: string;
  visitor: Visitor;
  set(changes: Partial<Visitor>): void;
  error: unknown;
};

function Text({ name, label, placeholder, visitor, set, error }: TextProps) {
  const fieldErrorOf = useFieldErrorOf();
  return (
    <Field label={label} fieldError={fieldErrorOf(error, name)}>
      <Input
        placeholder={placeholder}
        // Otherwise browsers would offer to fill in or save a password that is not the person's.
        autoComplete="off"
        value={visitor[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  );
}

function bodyOf({ agent, country, region, language, query, password, at }: Visitor): Schemas["Visitor"] {
  const time = instantAt(at, "start");
  return {
    method: "GET",
    userAgent: agents[agent],
    ...(country !== "" && { country }),
    ...(region !== "" && { region }),
    ...(language !== "" && { language }),
    ...(query !== "" && { query: query.startsWith("?") ? query : `?${query}` }),
    ...(password !== "" && { password }),
    ...(time !== null && { at: time }),
  };
}

/** High enough for most answers, so that the form below stays in place while a test runs. */
const answerClass = "grid min-h-[6.75rem] gap-3 rounded-xl border border-line bg-canvas p-4";

type AnswerProps = { linkId: string; answer: Schemas["Resolution"]; isSubmitted: boolean; hasPassword: boolean };

/** Where the link leads; `hasPassword` tells a wrong password from a missing one. */
function Answer({ linkId, answer, isSubmitted, hasPassword }: AnswerProps) {
  const { links } = useTexts();
  const { why } = links;
  const link = useLink(linkId).data?.link;
  const variants = link?.testVariants;
  const { matched } = answer;
  const rule = matched?.kind === "rule" ? link?.rules?.[matched.index ?? 0] : undefined;
  const section = useRef<HTMLElement>(null);
  const format = useFormat();
  const { country, percent } = format;
  const pageText = (page: keyof typeof why.pages) =>
    page === "password" && hasPassword ? why.wrongPassword : why.pages[page];
  const matchText = ({ kind, index = 0, country: code = "" }: NonNullable<typeof matched>) => {
    if (kind === "geo") return why.matched.geo(country(code));
    if (kind === "rule") return why.matched.rule(index + 1);
    if (kind !== "testVariant") return why.matched[kind];
    const share = variants?.[index]?.percentage;
    return why.matched.testVariant(variantLetter(index), share === undefined ? undefined : percent(share / 100));
  };
  const whyNotCounted = () => {
    if (answer.bot !== null) return why.bots[answer.bot];
    return answer.notCounted === "noTrack" ? why.noTrack : why.noDestination;
  };
  // In a low window the answer scrolls with the form.
  useEffect(() => {
    if (isSubmitted) section.current?.scrollIntoView({ block: "nearest" });
  }, [isSubmitted]);
  const reason = matched === null ? pageText(answer.page ?? "unavailable") : matchText(matched);
  return (
    <section ref={section} className={answerClass}>
      <div className="flex items-start gap-3">
        <Route className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
        <div className="grid min-w-0 gap-1">
          <p className="font-medium">{reason}</p>
          {rule !== undefined && <p className="text-muted">{conditionsText(rule.when, links, format)}</p>}
          {answer.url !== null && <p className="text-muted [overflow-wrap:anywhere]">{answer.url}</p>}
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Badge>HTTP {answer.status}</Badge>
        <Badge>{why.outcomes[answer.outcome]}</Badge>
        <Badge tone={answer.counted ? "success" : "warning"}>
          {answer.counted ? why.counted : why.notCounted(whyNotCounted())}
        </Badge>
      </div>
    </section>
  );
}
