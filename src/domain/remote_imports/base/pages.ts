import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { type Given, listOf } from '#src/domain/remote_imports/base/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

export interface ListPhase extends Pick<Phase, 'name' | 'part'> {
  /** Address of the first page below the project's root in the API. */
  path: string;
  /** What the entries are called in messages. */
  what: string;
  /** The records of an entry of the list. Throws SourceInvalid for one that the API does not give: it is left out. */
  records(given: Given, context: PhaseContext): readonly StagedRecord[] | Promise<readonly StagedRecord[]>;
  /** What an entry leaves out, in place of records. */
  leftOut?(given: Given): LeftOut;
  /** What is said where the token may not read the list; it fails the import without. */
  forbidden?: string;
  /** Whether servers may be without such a list, so that nothing is said where it is not there. */
  isOptional?: boolean;
}

/** A phase that reads a list page by page; the cursors are the addresses of the pages, which stay at the project's source. */
export function listPhase(list: ListPhase): Phase {
  const { name, part, path, what } = list;
  return {
    name,
    part,
    async page(context, cursor) {
      const url = new URL(cursor ?? `${context.project.api}${path}`);
      return orForbidden(list, async () => {
        const { body, next, lastPage } = await context.client.json(url);
        const page = await translated(list, context, listOf(body, what));
        const total = lastPage === null ? null : lastPage * Number(url.searchParams.get('per_page') ?? 0);
        return { ...page, total, next: following(next, context) };
      });
    },
  };
}

/** The records of entries, each of which may be one that is left out. */
export async function translated(
  { name, records, leftOut }: Pick<ListPhase, 'name' | 'records' | 'leftOut'>,
  context: PhaseContext,
  entries: readonly Given[],
): Promise<Omit<Page, 'next'>> {
  const found: StagedRecord[] = [];
  const without: LeftOut[] = [];
  for (const entry of entries) {
    try {
      if (leftOut) without.push(leftOut(entry));
      else found.push(...(await records(entry, context)));
    } catch (error) {
      if (!(error instanceof SourceInvalid)) throw error;
      const number = entry.number ?? entry.id;
      without.push({ kind: name, name: Number.isSafeInteger(number) ? String(number) : null, message: error.message });
    }
  }
  return { records: found, leftOut: without, seen: entries.length };
}

/** The address of the next page. Throws SourceInvalid for one elsewhere. */
export function following(next: URL | null, { project }: PhaseContext): string | null {
  if (next === null) return null;
  const { origin, pathname } = new URL(project.api);
  // GitHub names pages by the ID of the repository.
  const root = pathname.replace(/\/repos\/.*$/, '/');
  if (next.origin !== origin || !next.pathname.startsWith(root) || next.href.length > 2_000) {
    throw new SourceInvalid('The source answered with a next page that is elsewhere.');
  }
  return next.href;
}

/** A page of a list that the token may not read, or that the source does not have, is empty, and says so. */
export async function orForbidden(
  { name, forbidden, isOptional = false }: Pick<ListPhase, 'name' | 'forbidden' | 'isOptional'>,
  read: () => Promise<Page>,
): Promise<Page> {
  try {
    return await read();
  } catch (error) {
    const isForbidden = error instanceof RemoteRefused && [401, 403, 404, 410].includes(error.status ?? 0);
    if (!isForbidden || forbidden === undefined) throw error;
    const isSilent = forbidden === '' || (isOptional && error.status === 404);
    const leftOut = isSilent ? [] : [{ kind: name, name: null, message: forbidden }];
    return { records: [], leftOut, next: null, seen: 0 };
  }
}

const numbers = new WeakMap<PhaseContext, Map<string, Promise<number[]>>>();

/** The numbers of the staged issues or merge requests of some kinds, from the lowest: they are read once, so their phases must be over. */
export function stagedNumbers(context: PhaseContext, kinds: readonly string[]): Promise<number[]> {
  const known = numbers.get(context) ?? new Map<string, Promise<number[]>>();
  numbers.set(context, known);
  const key = kinds.join(' ');
  const found = known.get(key) ?? readNumbers(context, kinds);
  known.set(key, found);
  return found;
}

async function readNumbers({ staged }: PhaseContext, kinds: readonly string[]): Promise<number[]> {
  const found = new Set<number>();
  for (const kind of kinds) {
    for await (const { id } of staged(kind)) found.add(id as number);
  }
  return [...found].sort((one, other) => one - other);
}
