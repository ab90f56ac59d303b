/** The texts of a mail with one link. `action` is the label of the link, and `closing` the small text at the end. */
export type LinkMailTexts = { subject: string; sentence: string; action: string; closing: string };

/** The texts of mails about accounts and invitations, in one language. Names must have passed asPhrase. */
export type AccountMailTexts = {
  /** The value of `<html lang>`, and the locale of dates. */
  language: string;
  /** The words before the link as text. */
  orCopy: string;
  /** `inviter` is undefined for a member without a name; `day` is the last one on which the link works. */
  invite: (invite: { workspace: string; inviter: string | undefined; day: string }) => LinkMailTexts;
  magicLink: (minutes: number) => LinkMailTexts;
  password: (minutes: number) => LinkMailTexts;
  signUp: (hours: number) => LinkMailTexts;
  existingAccount: LinkMailTexts;
  verification: (hours: number) => LinkMailTexts;
  codesRemoved: LinkMailTexts;
  openSecurity: string;
  /** `email` is the address at the provider; undefined if the provider named none. */
  identityConnected: (provider: string, email: string | undefined) => ChangeTexts;
  identityDisconnected: (provider: string) => ChangeTexts;
  passkeyAdded: (name: string) => ChangeTexts;
  passkeyRemoved: (name: string) => ChangeTexts;
  emailChanged: (email: string) => ChangeTexts;
  passwordChanged: ChangeTexts;
};

/** The texts of a mail about a change of an account; its link opens the security settings. */
export type ChangeTexts = Omit<LinkMailTexts, "action">;

const english: AccountMailTexts = {
  language: "en",
  orCopy: "Or copy this link:",
  invite: ({ workspace, inviter = "A member", day }) => ({
    subject: `Join ${workspace} on Waypost`,
    sentence: `${inviter} invited you to the workspace ${workspace} on Waypost.`,
    action: "Accept invitation",
    closing: `This link works once and expires on ${day}. If you weren’t expecting it, you can ignore this e-mail.`,
  }),
  magicLink: (minutes) => ({
    subject: "Sign in to Waypost",
    sentence: "Someone requested a link to sign in to your Waypost account. If it was you, sign in here:",
    action: "Sign in",
    closing: `This link works once and expires in ${minutes} minutes. If it wasn’t you, ignore this e-mail, and give the link to no one.`,
  }),
  password: (minutes) => ({
    subject: "Reset your Waypost password",
    sentence: "Someone requested a new password for your Waypost account. If it was you, set one here:",
    action: "Set new password",
    closing: `This link works once and expires in ${minutes} minutes. If it wasn’t you, ignore this e-mail. Your password won’t change.`,
  }),
  signUp: (hours) => ({
    subject: "Finish creating your Waypost account",
    sentence: "Someone wants to create a Waypost account with this address. If it was you, continue here:",
    action: "Create account",
    closing: `This link expires in ${hours} hours. If it wasn’t you, ignore this e-mail. No account was created.`,
  }),
  existingAccount: {
    subject: "You already have a Waypost account",
    sentence: "Someone tried to create a Waypost account with this address, which already has one. Sign in here:",
    action: "Sign in",
    closing: "If you forgot your password, set a new one on that page. If it wasn’t you, ignore this e-mail.",
  },
  verification: (hours) => ({
    subject: "Verify your e-mail address for Waypost",
    sentence: "This is now the e-mail address of a Waypost account. Verify that it’s yours:",
    action: "Verify e-mail address",
    closing: `This link works once and expires in ${hours} hours. If you didn’t change your address, ignore this e-mail.`,
  }),
  codesRemoved: {
    subject: "Your second factors were removed from your Waypost account",
    sentence:
      "An administrator removed the one-time codes and passkeys from your account, so signing in asks for no code. Set them up again here:",
    action: "Open security settings",
    closing: "If you didn’t ask for this, tell the operator of this service.",
  },
  openSecurity: "Open security settings",
  identityConnected: (provider, email) => ({
    subject: `${provider} now signs you in to Waypost`,
    sentence: `Signing in with ${provider}${email === undefined ? "" : ` as ${email}`} was connected to your Waypost account.`,
    closing: `If you didn’t do this, disconnect ${provider} in your security settings, and tell the operator of this service.`,
  }),
  identityDisconnected: (provider) => ({
    subject: `${provider} no longer signs you in to Waypost`,
    sentence: `Signing in with ${provider} was disconnected from your Waypost account.`,
    closing: "If you didn’t do this, tell the operator of this service.",
  }),
  passkeyAdded: (name) => ({
    subject: "A passkey was added to your Waypost account",
    sentence: `The passkey “${name}” was added to your Waypost account. It signs in without your password and a code.`,
    closing:
      "If you didn’t do this, remove the passkey in your security settings, change your password, sign out everywhere else, and tell the operator of this service.",
  }),
  passkeyRemoved: (name) => ({
    subject: "A passkey was removed from your Waypost account",
    sentence: `The passkey “${name}” was removed from your Waypost account, and no longer signs in.`,
    closing:
      "If you didn’t do this, change your password, sign out everywhere else in your security settings, and tell the operator of this service.",
  }),
  emailChanged: (email) => ({
    subject: "The e-mail address of your Waypost account was changed",
    sentence: `The e-mail address of your Waypost account is now ${email}. Later mails go there.`,
    closing:
      "If you didn’t do this, sign in, change the address back, and set another password. If you can’t sign in, tell the operator of this service.",
  }),
  passwordChanged: {
    subject: "The password of your Waypost account was changed",
    sentence: "The password of your Waypost account was changed. Other browsers were signed out.",
    closing:
      "If you didn’t do this, choose “Forgot your password?” on the sign-in page to set another one, and tell the operator of this service.",
  },
};

const german: AccountMailTexts = {
  language: "de",
  orCopy: "Oder kopieren Sie diesen Link:",
  invite: ({ workspace, inviter = "Ein Mitglied", day }) => ({
    subject: `Einladung zu ${workspace} auf Waypost`,
    sentence: `${inviter} hat Sie in den Arbeitsbereich ${workspace} auf Waypost eingeladen.`,
    action: "Einladung annehmen",
    closing: `Der Link funktioniert einmal und läuft am ${day} ab. Wenn Sie keine Einladung erwarten, können Sie diese E-Mail ignorieren.`,
  }),
  magicLink: (minutes) => ({
    subject: "Bei Waypost anmelden",
    sentence:
      "Jemand hat einen Link zur Anmeldung bei Ihrem Waypost-Konto angefordert. Wenn Sie es waren, melden Sie sich hier an:",
    action: "Anmelden",
    closing: `Der Link funktioniert einmal und läuft in ${minutes} Minuten ab. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail, und geben Sie den Link nicht weiter.`,
  }),
  password: (minutes) => ({
    subject: "Neues Passwort für Waypost",
    sentence:
      "Jemand hat ein neues Passwort für Ihr Waypost-Konto angefordert. Wenn Sie es waren, legen Sie es hier fest:",
    action: "Neues Passwort festlegen",
    closing: `Der Link funktioniert einmal und läuft in ${minutes} Minuten ab. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort ändert sich nicht.`,
  }),
  signUp: (hours) => ({
    subject: "Ihr neues Waypost-Konto",
    sentence: "Jemand möchte mit dieser Adresse ein Waypost-Konto erstellen. Wenn Sie es sind, geht es hier weiter:",
    action: "Konto erstellen",
    closing: `Der Link läuft in ${hours} Stunden ab. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail. Es wurde kein Konto erstellt.`,
  }),
  existingAccount: {
    subject: "Sie haben bereits ein Waypost-Konto",
    sentence:
      "Jemand wollte mit dieser Adresse ein Waypost-Konto erstellen. Es gibt aber schon eines. Melden Sie sich hier an:",
    action: "Anmelden",
    closing:
      "Wenn Sie Ihr Passwort vergessen haben, können Sie auf dieser Seite ein neues festlegen. Wenn Sie es nicht waren, ignorieren Sie diese E-Mail.",
  },
  verification: (hours) => ({
    subject: "Bestätigen Sie Ihre E-Mail-Adresse für Waypost",
    sentence: "Dies ist jetzt die E-Mail-Adresse eines Waypost-Kontos. Bestätigen Sie, dass sie Ihnen gehört:",
    action: "E-Mail-Adresse bestätigen",
    closing: `Der Link funktioniert einmal und läuft in ${hours} Stunden ab. Wenn Sie Ihre Adresse nicht geändert haben, ignorieren Sie diese E-Mail.`,
  }),
  codesRemoved: {
    subject: "Die zweiten Faktoren Ihres Waypost-Kontos wurden entfernt",
    sentence:
      "Ein Administrator hat die Einmalcodes und Passkeys Ihres Kontos entfernt. Bei der Anmeldung wird kein Code mehr verlangt. Hier richten Sie sie wieder ein:",
    action: "Sicherheitseinstellungen öffnen",
    closing: "Wenn Sie nicht darum gebeten haben, wenden Sie sich an den Betreiber dieses Dienstes.",
  },
  openSecurity: "Sicherheitseinstellungen öffnen",
  identityConnected: (provider, email) => ({
    subject: `Anmeldung bei Waypost jetzt auch mit ${provider}`,
    sentence: `Die Anmeldung mit ${provider}${email === undefined ? "" : ` als ${email}`} wurde mit Ihrem Waypost-Konto verbunden.`,
    closing: `Wenn Sie das nicht waren, trennen Sie ${provider} in Ihren Sicherheitseinstellungen, und wenden Sie sich an den Betreiber dieses Dienstes.`,
  }),
  identityDisconnected: (provider) => ({
    subject: `Anmeldung bei Waypost nicht mehr mit ${provider}`,
    sentence: `Die Anmeldung mit ${provider} wurde von Ihrem Waypost-Konto getrennt.`,
    closing: "Wenn Sie das nicht waren, wenden Sie sich an den Betreiber dieses Dienstes.",
  }),
  passkeyAdded: (name) => ({
    subject: "Ihr Waypost-Konto hat einen neuen Passkey",
    sentence: `Der Passkey „${name}“ wurde zu Ihrem Waypost-Konto hinzugefügt. Mit ihm meldet man sich ohne Passwort und Code an.`,
    closing:
      "Wenn Sie das nicht waren, entfernen Sie den Passkey in Ihren Sicherheitseinstellungen, ändern Sie Ihr Passwort, melden Sie sich auf allen anderen Geräten ab, und wenden Sie sich an den Betreiber dieses Dienstes.",
  }),
  passkeyRemoved: (name) => ({
    subject: "Ein Passkey Ihres Waypost-Kontos wurde entfernt",
    sentence: `Der Passkey „${name}“ wurde aus Ihrem Waypost-Konto entfernt. Mit ihm kann man sich nicht mehr anmelden.`,
    closing:
      "Wenn Sie das nicht waren, ändern Sie Ihr Passwort, melden Sie sich in den Einstellungen auf allen anderen Geräten ab, und wenden Sie sich an den Betreiber dieses Dienstes.",
  }),
  emailChanged: (email) => ({
    subject: "Die E-Mail-Adresse Ihres Waypost-Kontos wurde geändert",
    sentence: `Die E-Mail-Adresse Ihres Waypost-Kontos ist jetzt ${email}. Weitere E-Mails gehen dorthin.`,
    closing:
      "Wenn Sie das nicht waren, melden Sie sich an, stellen Sie Ihre Adresse wieder ein, und legen Sie ein anderes Passwort fest. Wenn Sie sich nicht anmelden können, wenden Sie sich an den Betreiber dieses Dienstes.",
  }),
  passwordChanged: {
    subject: "Das Passwort Ihres Waypost-Kontos wurde geändert",
    sentence: "Das Passwort Ihres Waypost-Kontos wurde geändert. Andere Browser wurden abgemeldet.",
    closing:
      "Wenn Sie das nicht waren, legen Sie über „Passwort vergessen?“ auf der Anmeldeseite ein anderes fest, und wenden Sie sich an den Betreiber dieses Dienstes.",
  },
};

const chinese: AccountMailTexts = {
  language: "zh-Hans",
  orCopy: "或复制此链接：",
  invite: ({ workspace, inviter, day }) => ({
    subject: `邀请您加入 Waypost 上的 ${workspace}`,
    sentence: `${inviter === undefined ? "一位成员" : `${inviter} `}邀请您加入 Waypost 上的工作区 ${workspace}。`,
    action: "接受邀请",
    closing: `此链接只能使用一次，有效期至 ${day}。如果您对此不知情，可以忽略此邮件。`,
  }),
  magicLink: (minutes) => ({
    subject: "登录 Waypost",
    sentence: "有人为您的 Waypost 账号申请了登录链接。如果是您本人，请在此登录：",
    action: "登录",
    closing: `此链接只能使用一次，${minutes} 分钟内有效。如果不是您本人，请忽略此邮件，也不要将链接告诉任何人。`,
  }),
  password: (minutes) => ({
    subject: "重设您的 Waypost 密码",
    sentence: "有人为您的 Waypost 账号申请了新密码。如果是您本人，请在此设置：",
    action: "设置新密码",
    closing: `此链接只能使用一次，${minutes} 分钟内有效。如果不是您本人，请忽略此邮件，您的密码不会改变。`,
  }),
  signUp: (hours) => ({
    subject: "完成创建您的 Waypost 账号",
    sentence: "有人想用此邮箱创建 Waypost 账号。如果是您本人，请在此继续：",
    action: "创建账号",
    closing: `此链接 ${hours} 小时内有效。如果不是您本人，请忽略此邮件，账号并未创建。`,
  }),
  existingAccount: {
    subject: "您已有 Waypost 账号",
    sentence: "有人试图用此邮箱创建 Waypost 账号，但该邮箱已有账号。请在此登录：",
    action: "登录",
    closing: "如果您忘记了密码，可以在该页面设置新密码。如果不是您本人，请忽略此邮件。",
  },
  verification: (hours) => ({
    subject: "验证您在 Waypost 的邮箱",
    sentence: "此邮箱现已用于一个 Waypost 账号。请验证它属于您：",
    action: "验证邮箱",
    closing: `此链接只能使用一次，${hours} 小时内有效。如果您没有更改邮箱，请忽略此邮件。`,
  }),
  codesRemoved: {
    subject: "您的 Waypost 账号的双重验证已被移除",
    sentence: "管理员移除了您账号的一次性验证码和通行密钥，登录时不再要求验证码。请在此重新设置：",
    action: "打开安全设置",
    closing: "如果这不是您要求的，请联系本服务的运营者。",
  },
  openSecurity: "打开安全设置",
  identityConnected: (provider, email) => ({
    subject: `现在可用 ${provider} 登录 Waypost`,
    sentence: `您的 Waypost 账号已连接 ${provider} 登录${email === undefined ? "" : `（${email}）`}。`,
    closing: `如果这不是您本人的操作，请在安全设置中断开 ${provider} 的连接，并联系本服务的运营者。`,
  }),
  identityDisconnected: (provider) => ({
    subject: `不再能用 ${provider} 登录 Waypost`,
    sentence: `您的 Waypost 账号已断开与 ${provider} 的连接，不再能用它登录。`,
    closing: "如果这不是您本人的操作，请联系本服务的运营者。",
  }),
  passkeyAdded: (name) => ({
    subject: "您的 Waypost 账号添加了一个通行密钥",
    sentence: `通行密钥“${name}”已添加到您的 Waypost 账号。使用它登录无需密码和验证码。`,
    closing: "如果这不是您本人的操作，请在安全设置中移除该通行密钥，更改密码，退出所有其他会话，并联系本服务的运营者。",
  }),
  passkeyRemoved: (name) => ({
    subject: "您的 Waypost 账号移除了一个通行密钥",
    sentence: `通行密钥“${name}”已从您的 Waypost 账号移除，不再能用它登录。`,
    closing: "如果这不是您本人的操作，请更改密码，在安全设置中退出所有其他会话，并联系本服务的运营者。",
  }),
  emailChanged: (email) => ({
    subject: "您的 Waypost 账号的邮箱已更改",
    sentence: `您的 Waypost 账号的邮箱现为 ${email}，以后的邮件将发送到该邮箱。`,
    closing: "如果这不是您本人的操作，请登录并改回原来的邮箱，再设置另一个密码。如果无法登录，请联系本服务的运营者。",
  }),
  passwordChanged: {
    subject: "您的 Waypost 账号的密码已更改",
    sentence: "您的 Waypost 账号的密码已更改，其他浏览器已退出登录。",
    closing: "如果这不是您本人的操作，请在登录页面选择“忘记密码？”重新设置密码，并联系本服务的运营者。",
  },
};

const languages: ReadonlyMap<string, AccountMailTexts> = new Map([
  ["en", english],
  ["de", german],
  ["zh", chinese],
]);

/** The texts in a language: "en", "de" or "zh"; English for null and for languages without texts. */
export function accountMailTexts(language: string | null | undefined): AccountMailTexts {
  return languages.get(language ?? "en") ?? english;
}
