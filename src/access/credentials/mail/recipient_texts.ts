import type { Db } from '#src/platform/database/db.ts';
import { knownLanguage, LANGUAGES, type Texts, textsIn } from '#src/platform/texts/texts.ts';

/** The texts of mail to a user, in the language that they chose; in English where they chose none, or are gone. */
export async function textsFor(db: Db, user: { id: number } | { username: string }): Promise<Texts> {
  const found = await db.user.findFirst({ where: user, select: { preferredLanguage: true } });
  return textsIn(knownLanguage(found?.preferredLanguage) ?? LANGUAGES[0]);
}

/** The texts of mail to an address: those of the user whose primary address it is, if there is one. */
export async function textsForAddress(db: Db, email: string): Promise<Texts> {
  const [found] = await db.$queryRaw<{ preferredLanguage: string | null }[]>`
    SELECT preferred_language AS "preferredLanguage" FROM users WHERE lower(email) = lower(${email})`;
  return textsIn(knownLanguage(found?.preferredLanguage) ?? LANGUAGES[0]);
}
