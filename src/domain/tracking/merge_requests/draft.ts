import { Prisma } from '#src/platform/database/db.ts';

const BLANK = '[ \t\r\n]';
const DRAFT = '[Dd][Rr][Aa][Ff][Tt]';
const WIP = '[Ww][Ii][Pp]';

/** What marks a draft: `Draft:`, `[Draft]`, `(Draft)`, `WIP:`, `[WIP]` and the word `WIP`, in any case. */
const MARK = `(?:${DRAFT}:|\\[${DRAFT}\\]|\\(${DRAFT}\\)|${WIP}:|\\[${WIP}\\]|${WIP}${BLANK}|${WIP}$)`;

/** JavaScript and PostgreSQL read it alike: it leaves nothing to the flags of the one or to the locale of the other. */
const BEGINNING = `^${BLANK}*${MARK}`;

const IS_DRAFT = new RegExp(BEGINNING);
const MARKS = new RegExp(`^${BLANK}*(?:${MARK}${BLANK}*)+`);

/** Whether a title marks its merge request as a draft, which cannot be merged; as isDraftSql. */
export function isDraft(title: string): boolean {
  return IS_DRAFT.test(title);
}

/** As isDraft, as a condition on a title in the database. */
export function isDraftSql(title: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${title} ~ ${BEGINNING})`;
}

/** The title without the marks of a draft. One that consists of nothing else stays as it is: it is never empty. */
export function asReady(title: string): string {
  const left = title.replace(MARKS, '');
  return left === '' ? title : left;
}

/** The title with a mark, if it has none. */
export function asDraft(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`;
}

/** The title with a mark, or without the marks that it has. */
export function toggleDraft(title: string): string {
  return isDraft(title) ? asReady(title) : asDraft(title);
}
