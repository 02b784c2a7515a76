import { type ListPhase, orForbidden, stagedNumbers, translated } from '#src/domain/remote_imports/base/pages.ts';
import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, listOf } from '#src/domain/remote_imports/base/values.ts';
import { type RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Records that are asked for at once: as many as servers give unless they were configured. */
const PAGE_SIZE = 50;

/** The records of one page of a list. */
interface GivenPage {
  entries: Given[];
  /** Number of the next page; null after the last one. */
  next: number | null;
  /** How many pages there are, where that is known. */
  lastPage: number | null;
}

/**
 * A page of a list. Some lists have headers `Link`, and others do not, depending on the version: without, a full page is followed by
 * another one. The addresses in these headers are not used, as they are those that the server believes to have.
 *
 * @param root of the path: that of the project if it is left out
 */
export async function readPage(
  { client, project }: PhaseContext,
  path: string,
  page: number,
  what: string,
  root = project.api,
): Promise<GivenPage> {
  const url = new URL(`${root}${path}`);
  url.searchParams.set('limit', String(PAGE_SIZE));
  url.searchParams.set('page', String(page));
  const { body, next, lastPage } = await client.json(url);
  // An empty list is null in some versions.
  const entries = body === null ? [] : listOf(body, what);
  const hasMore = next !== null || (entries.length > 0 && entries.length >= (await fullPage(client, project.api)));
  return { entries, next: hasMore ? page + 1 : null, lastPage };
}

const fullPages = new WeakMap<RemoteClient, Promise<number>>();

/** How many records a full page has at least: 1 where the server does not tell. */
function fullPage(client: RemoteClient, api: string): Promise<number> {
  const found = fullPages.get(client) ?? readFullPage(client, api);
  fullPages.set(client, found);
  return found;
}

async function readFullPage(client: RemoteClient, api: string): Promise<number> {
  try {
    const { body } = await client.json(new URL(`${api.replace(/\/repos\/.*$/, '')}/settings/api`));
    const most = isGiven(body) ? Number(body.max_response_items) : 0;
    return most > 0 ? Math.min(most, PAGE_SIZE) : 1;
  } catch (error) {
    if (error instanceof RemoteRefused && error.status !== null) return 1;
    throw error;
  }
}

/** A phase that reads a list page by page; the cursors are the numbers of the pages. */
export function giteaList(list: ListPhase & { /** Whether it comes in one page. */ isWhole?: boolean }): Phase {
  const { name, part, path, what, isWhole = false } = list;
  return {
    name,
    part,
    page: (context, cursor) =>
      orForbidden(list, async () => {
        const { entries, next, lastPage } = await readPage(context, path, Number(cursor ?? 1), what);
        const page = await translated(list, context, entries);
        const total = lastPage === null ? null : lastPage * PAGE_SIZE;
        return { ...page, total, next: next === null || isWhole ? null : String(next) };
      }),
  };
}

export interface SubjectPhase extends Pick<Phase, 'name' | 'part'> {
  /** The kinds of the staged records to which lists belong. */
  kinds: readonly string[];
  /** Address of the list of a record below the project's root in the API, by its number. */
  path(number: number): string;
  what: string;
  records(
    given: Given,
    number: number,
    context: PhaseContext,
  ): readonly StagedRecord[] | Promise<readonly StagedRecord[]>;
  /** What is said once if the server has no such lists. */
  absent: string;
}

/** A phase that reads a list of each issue or pull request; the cursors are the number of the record and that of the page. */
export function giteaSubjects(phase: SubjectPhase): Phase {
  const { name, part, kinds, path, what, records } = phase;
  return {
    name,
    part,
    async page(context, cursor) {
      const numbers = await stagedNumbers(context, kinds);
      const [last = 0, at = 0] = (cursor ?? '').split(' ').filter(Boolean).map(Number);
      const number = at > 0 ? last : numbers.find((one) => one > last);
      const total = numbers.length;
      if (number === undefined) return { records: [], next: null, seen: 0, total };
      const isLast = number === numbers.at(-1);
      const after = isLast ? null : `${number} 0`;
      const list = { name, records: (given: Given) => records(given, number, context) };
      return orAbsent(phase, { number, isFirst: number === numbers[0], after, total }, async () => {
        const { entries, next } = await readPage(context, path(number), at || 1, what);
        const page = await translated(list, context, entries);
        return { ...page, total, seen: next === null ? 1 : 0, next: next === null ? after : `${number} ${next}` };
      });
    },
  };
}

/** What is known of a list that is not there. */
interface Absent {
  number: number;
  isFirst: boolean;
  after: string | null;
  total: number;
}

/** A list that is not there is empty: the first one means that the server has none, and one behind that its record is gone. */
async function orAbsent({ name, absent }: SubjectPhase, at: Absent, read: () => Promise<Page>): Promise<Page> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RemoteRefused) || ![403, 404, 410].includes(error.status ?? 0)) throw error;
    const leftOut: LeftOut = { kind: name, name: String(at.number), message: error.message };
    const all: LeftOut = { kind: name, name: null, message: absent };
    const page = { records: [], leftOut: [at.isFirst ? all : leftOut], total: at.total };
    return { ...page, seen: at.isFirst ? 0 : 1, next: at.isFirst ? null : at.after };
  }
}
