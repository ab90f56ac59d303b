import { Problem } from "../base/problem.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { linkMail } from "../mail/link-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { AttemptLimits } from "./attempts.ts";
import { mailTextsOf } from "./mail-texts-of.ts";
import { insertSignInLink } from "./users.ts";

/** How long a link that verifies a changed e-mail address works. */
const verificationLinkLifeMs = dayMs;

type Deps = { db: Db; now: () => number; mailer: Mailer; limits: AttemptLimits; appUrl: URL };

/**
 * Mails the user a link that verifies their e-mail address; earlier one-time links end.
 * Throws "conflict" for a verified address, "rate_limit_exceeded" after too many mails, "unprocessable_entity" without
 * a mail server, "unavailable" when the mail server did not accept the mail.
 */
export async function mailVerificationLink({ db, now, mailer, limits, appUrl }: Deps, userId: string): Promise<void> {
  if (!mailer.hasServer) {
    throw new Problem(
      "unprocessable_entity",
      "This service does not send e-mail, so only the operator can verify addresses.",
      {
        hint: "On the server: waypost user verify --email you@example.com",
      },
    );
  }
  limits.take({ address: undefined, account: userId });
  const { to, token } = await transact(db, async (tx) => {
    const user = await tx
      .selectFrom("users")
      .select("email")
      .where("id", "=", userId)
      .where("verifiedAt", "is", null)
      .executeTakeFirst();
    if (!user?.email) throw new Problem("conflict", "Your e-mail address is already verified.");
    await tx.deleteFrom("signInLinks").where("userId", "=", userId).execute();
    const lifeMs = verificationLinkLifeMs;
    return { to: user.email, token: await insertSignInLink(tx, userId, now(), { email: user.email, lifeMs }) };
  });
  const url = new URL(`/app/verify/${token}`, appUrl).href;
  const texts = await mailTextsOf(db, userId);
  const outcome = await mailer.send(linkMail(texts, { to, url }, texts.verification(verificationLinkLifeMs / hourMs)));
  if (outcome !== "sent") {
    throw new Problem("unavailable", "The mail server did not accept the mail with your link; try again later.");
  }
}
