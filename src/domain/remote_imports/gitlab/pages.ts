import { type ListPhase, orForbidden, stagedNumbers, translated } from '#src/domain/remote_imports/base/pages.ts';
import {
  type LeftOut,
  type Page,
  type Phase,
  type PhaseContext,
  SourceInvalid,
  type StagedRecord,
} from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, listOf, textIn } from '#src/domain/remote_imports/base/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Records that are asked for at once: as many as servers give. */
const PAGE_SIZE = 100;
/** Lists of single records that are read for a page of the staging. */
const LISTS = 20;
/** Characters of what is asked for the page that follows. */
const MAX_QUERY_LENGTH = 1_500;
/** Statuses of a list that the server does not have, or the token may not read. */
export const ABSENT_STATUSES: readonly unknown[] = [401, 403, 404, 410];
/** Statuses that servers answer with which count to a limit alone. */
const TOO_FAR: readonly unknown[] = [400, 405];

/** A page of a list. */
interface GivenPage {
  entries: Given[];
  /** What is asked for the next one; null after the last one. */
  next: string | null;
}

/**
 * Reads a page of a list. Of the address of the next one, in the header `Link`, what is asked for is used alone: the server that it names
 * is the one that the source believes to be, which behind a proxy is another.
 *
 * @param path with what is asked for the first page
 * @param query what is asked for this one; null for the first
 */
export async function readPage(
  { client, project }: PhaseContext,
  path: string,
  query: string | null,
  what: string,
): Promise<GivenPage & { pages: number | null }> {
  const url = new URL(`${project.api}${path}`);
  if (query === null) url.searchParams.set('per_page', String(PAGE_SIZE));
  else url.search = query;
  const { body, next, lastPage } = await client.json(url);
  const entries = listOf(body, what);
  if (next === null || entries.length === 0) return { entries, next: null, pages: lastPage };
  const following = next.search;
  const [now, then] = [url.searchParams, next.searchParams].map((one) => Number(one.get('page') ?? 1));
  const isCounted = next.searchParams.has('page');
  if (following.length > MAX_QUERY_LENGTH || following === url.search || (isCounted && then !== (now ?? 1) + 1)) {
    throw new SourceInvalid('The source answered with a next page that does not follow.');
  }
  return { entries, next: following, pages: lastPage };
}

export interface GitlabList extends ListPhase {
  /** Whether the list is by time, from the oldest record, so that what follows can be asked for by that. */
  isByTime?: boolean;
  /** What of an entry does not come along, though the rest does; null for nothing. */
  remark?(given: Given): string | null;
}

/** Where a list is. */
interface Place {
  query: string | null;
  /** When the last record was made, for lists by time. */
  last: string | null;
}

/** A phase that reads a list page by page. */
export function gitlabList(list: GitlabList): Phase {
  const { name, part, path, what, isByTime = false } = list;
  return {
    name,
    part,
    page: (context, cursor) =>
      orForbidden(list, async () => {
        const { query, last }: Place = cursor === null ? { query: null, last: null } : JSON.parse(cursor);
        const page = await readPage(context, path, query, what).catch(async (error) => {
          const isTooFar = error instanceof RemoteRefused && TOO_FAR.includes(error.status);
          const isSame = query !== null && new URLSearchParams(query).get('created_after') === last;
          if (!isByTime || !isTooFar || last === null || isSame) throw error;
          return readSince(context, path, last, what);
        });
        const found = await translated(list, context, page.entries);
        const remarks = page.entries.flatMap((entry): LeftOut[] => {
          const message = list.remark?.(entry) ?? null;
          return message === null ? [] : [{ kind: name, name: textIn(entry, 'name', 255) || null, message }];
        });
        const made = page.entries.at(-1)?.created_at;
        const following: Place = { query: page.next, last: typeof made === 'string' ? made.slice(0, 40) : null };
        const total = page.pages === null || query?.includes('created_after') ? null : page.pages * PAGE_SIZE;
        const leftOut = [...(found.leftOut ?? []), ...remarks];
        return { ...found, leftOut, total, next: page.next === null ? null : JSON.stringify(following) };
      }),
  };
}

/** What follows a time, where the server counts no further. Records of that time come once more. */
async function readSince(context: PhaseContext, path: string, last: string, what: string) {
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  query.set('per_page', String(PAGE_SIZE));
  query.set('created_after', last);
  const page = await readPage(context, path.split('?', 1).join(''), `?${query}`, what);
  const [first] = page.entries;
  if (typeof first?.created_at === 'string' && Date.parse(first.created_at) < Date.parse(last)) {
    throw new SourceInvalid(`The source gives no more ${what} than it counts.`);
  }
  return page;
}

/** A list of each issue, merge request or snippet. */
export interface SubjectList {
  /** Its kind in what was left out. */
  name: string;
  /** Address below that of the record. */
  path: string;
  what: string;
  records(
    given: Given,
    number: number,
    context: PhaseContext,
  ): readonly StagedRecord[] | Promise<readonly StagedRecord[]>;
  /** What is said if the server has no such lists; nothing for null. */
  absent: string | null;
  /** Whether it is read only where the server does not have the list before it. */
  isInstead?: boolean;
  /** The one record that there is in place of a list. */
  isOne?: boolean;
}

export interface SubjectPhase extends Pick<Phase, 'name' | 'part'> {
  of: 'issues' | 'merge_requests' | 'snippets';
  lists: readonly SubjectList[];
}

/** How far the lists of records are. */
interface SubjectPlace {
  /** The number of the record, and which of its lists is next. */
  number: number;
  list: number;
  query: string | null;
  /** Lists that the server does not have. */
  absent: number[];
}

/** A phase that reads lists of each issue, of each merge request, or of each snippet. */
export function gitlabSubjects({ name, part, of, lists }: SubjectPhase): Phase {
  return {
    name,
    part,
    async page(context, cursor) {
      const numbers = await stagedNumbers(context, [of]);
      const total = numbers.length;
      const [first] = numbers;
      if (first === undefined) return { records: [], next: null, seen: 0, total };
      let place: SubjectPlace =
        cursor === null ? { number: first, list: 0, query: null, absent: [] } : JSON.parse(cursor);
      const records: StagedRecord[] = [];
      const leftOut: LeftOut[] = [];
      let seen = 0;
      for (let read = 0; read < LISTS; ) {
        const list = lists[place.list];
        if (list === undefined) {
          seen += 1;
          const number = numbers.find((one) => one > place.number);
          if (number === undefined) return { records, leftOut, next: null, seen, total };
          place = { ...place, number, list: 0, query: null };
          continue;
        }
        const isWanted = list.isInstead !== true || place.absent.includes(place.list - 1);
        if (!isWanted || place.absent.includes(place.list)) {
          place = { ...place, list: place.list + 1, query: null };
          continue;
        }
        read += 1;
        const page = await readOf(context, {
          list,
          at: `/${of}/${place.number}`,
          place,
          isFirst: place.number === first,
        });
        records.push(...page.records);
        leftOut.push(...(page.leftOut ?? []));
        place = page.place;
      }
      return { records, leftOut, next: JSON.stringify(place), seen, total };
    },
  };
}

interface Reading {
  list: SubjectList;
  at: string;
  place: SubjectPlace;
  isFirst: boolean;
}

/** A page of a list of a record: the first list that is not there means that the server has none, and one behind it that its record is gone. */
async function readOf(
  context: PhaseContext,
  { list, at, place, isFirst }: Reading,
): Promise<Pick<Page, 'records' | 'leftOut'> & { place: SubjectPlace }> {
  const after = { ...place, list: place.list + 1, query: null };
  try {
    const { entries, next } = list.isOne
      ? await readOne(context, `${at}${list.path}`)
      : await readPage(context, `${at}${list.path}`, place.query, list.what);
    const translate = { name: list.name, records: (given: Given) => list.records(given, place.number, context) };
    const page = await translated(translate, context, entries);
    return { ...page, place: next === null ? after : { ...place, query: next } };
  } catch (error) {
    if (!(error instanceof RemoteRefused) || !ABSENT_STATUSES.includes(error.status)) throw error;
    const isAbsent = isFirst && place.query === null;
    const message = isAbsent ? list.absent : error.message;
    const leftOut =
      message === null ? [] : [{ kind: list.name, name: isAbsent ? null : String(place.number), message }];
    const absent = isAbsent ? [...place.absent, place.list] : place.absent;
    return { records: [], leftOut, place: { ...after, absent } };
  }
}

async function readOne({ client, project }: PhaseContext, path: string): Promise<GivenPage> {
  const { body } = await client.json(new URL(`${project.api}${path}`));
  return { entries: isGiven(body) ? [body] : [], next: null };
}
