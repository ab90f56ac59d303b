import { Check, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { languageNames, languages } from "../base/languages.ts";
import { preferredTheme, saveTheme, themes } from "../base/preferences.ts";
import { useFormat, useSetLanguage, useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";

const themeIcons = { system: Monitor, light: Sun, dark: Moon };

/** The page where a person chooses the dashboard's theme and language for this browser. */
export function AppearancePage() {
  return (
    <>
      <ThemeCard />
      <LanguageCard />
    </>
  );
}

const choiceClass =
  "flex items-center gap-2.5 rounded-lg border border-line px-3 py-2.5 text-left font-medium transition-colors hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent [&_svg]:size-4";

function ThemeCard() {
  const { settings, shell } = useTexts();
  const [theme, setTheme] = useState(preferredTheme);
  return (
    <Card title={settings.theme} about={settings.themeAbout}>
      <fieldset className="grid gap-2 p-4 sm:grid-cols-3 sm:p-5">
        <legend className="sr-only">{settings.theme}</legend>
        {themes.map((each) => {
          const Icon = themeIcons[each];
          return (
            <button
              key={each}
              type="button"
              aria-pressed={each === theme}
              className={choiceClass}
              onClick={() => {
                saveTheme(each);
                setTheme(each);
              }}
            >
              <Icon aria-hidden />
              <span className="grow">{shell.themes[each]}</span>
              {each === theme && <Check aria-hidden />}
            </button>
          );
        })}
      </fieldset>
    </Card>
  );
}

function LanguageCard() {
  const { settings } = useTexts();
  const { language } = useFormat();
  const setLanguage = useSetLanguage();
  return (
    <Card title={settings.language} about={settings.languageAbout}>
      <fieldset className="grid gap-2 p-4 sm:grid-cols-3 sm:p-5">
        <legend className="sr-only">{settings.language}</legend>
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            lang={each}
            aria-pressed={each === language}
            className={choiceClass}
            onClick={() => void setLanguage(each)}
          >
            <span className="grow">{languageNames[each]}</span>
            {each === language && <Check aria-hidden />}
          </button>
        ))}
      </fieldset>
    </Card>
  );
}
