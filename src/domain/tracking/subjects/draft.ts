import { Prisma } from '#src/platform/database/db.ts';

const BLANK = '[ \t\r\n]';
const DRAFT = '[Dd][Rr][Aa][Ff][Tt]';
const WIP = '[Ww][Ii][Pp]';

/** The marks of a draft: `Draft:`, `[Draft]`, `(Draft)`, `WIP:`, `[WIP]` and the word `WIP`, ignoring case. */
const MARK = `(?:${DRAFT}:|\\[${DRAFT}\\]|\\(${DRAFT}\\)|${WIP}:|\\[${WIP}\\]|${WIP}${BLANK}|${WIP}$)`;

/** JavaScript and PostgreSQL interpret it equally: it depends neither on flags nor on a locale. */
const BEGINNING = `^${BLANK}*${MARK}`;

const IS_DRAFT = new RegExp(BEGINNING);
const MARKS = new RegExp(`^${BLANK}*(?:${MARK}${BLANK}*)+`);

/** Whether a title marks its merge request as a draft, which cannot be merged; the same as isDraftSql. */
export function isDraft(title: string): boolean {
  return IS_DRAFT.test(title);
}

/** Like isDraft, as a condition on a title in the database. */
export function isDraftSql(title: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${title} ~ ${BEGINNING})`;
}

/** The title without draft marks. A title of nothing else stays as it is, so that it is never empty. */
export function asReady(title: string): string {
  const left = title.replace(MARKS, '');
  return left === '' ? title : left;
}

/** The title with a draft mark, if it has none. */
export function asDraft(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`;
}

/** The title with a draft mark added, or without its marks. */
export function toggleDraft(title: string): string {
  return isDraft(title) ? asReady(title) : asDraft(title);
}

/** The title as a draft's or not as one; as it is when that is left open. */
export function withDraftPrefix(draft: boolean | null | undefined, title: string): string {
  if (draft == null) return title;
  return draft ? asDraft(title) : asReady(title);
}
