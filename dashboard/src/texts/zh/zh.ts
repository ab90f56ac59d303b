import type { Texts } from "../en/en.ts";
import { administration } from "./administration.ts";
import { analytics } from "./analytics.ts";
import { auditLog } from "./audit-log.ts";
import { domains } from "./domains.ts";
import { identities } from "./identities.ts";
import { links } from "./links.ts";
import { notifications } from "./notifications.ts";
import { passkeys } from "./passkeys.ts";
import { problems } from "./problems.ts";
import { security } from "./security.ts";
import { settings } from "./settings.ts";
import { share } from "./share.ts";
import { shell } from "./shell.ts";
import { times } from "./times.ts";
import { welcome } from "./welcome.ts";
import { words } from "./words.ts";

export const zh: Texts = {
  analytics,
  auditLog,
  words,
  domains,
  identities,
  links,
  notifications,
  passkeys,
  problems,
  administration,
  security,
  settings,
  share,
  shell,
  times,
  welcome,
};
