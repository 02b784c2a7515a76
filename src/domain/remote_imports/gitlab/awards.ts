import { translated } from '#src/domain/remote_imports/base/pages.ts';
import { timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { LeftOut, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, textIn } from '#src/domain/remote_imports/base/values.ts';
import { ABSENT_STATUSES, readPage } from '#src/domain/remote_imports/gitlab/pages.ts';
import { optionalUser } from '#src/domain/remote_imports/gitlab/values.ts';
import { emojiNamed } from '#src/platform/emoji.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** What can have awards. */
interface Awardable {
  type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Note';
  id: number;
  /** Address below that of the project. */
  path: string;
}

/** How many of these are asked for a page of the staging. */
const PAGE_SIZE = 20;
/** Pages of awards of one thing that are read. */
const MAX_PAGES = 20;

/** The awards of issues, merge requests, snippets, and the notes on them. The cursor counts these, or says that the server has none. */
export const awardPhase: Phase = {
  name: 'award_emoji',
  part: null,
  async page(context, cursor) {
    const all = await awardablesOf(context);
    const from = Number(cursor ?? 0);
    const some = all.slice(from, from + PAGE_SIZE);
    const records: StagedRecord[] = [];
    const leftOut: LeftOut[] = [];
    for (const [at, one] of some.entries()) {
      try {
        const found = await awardsOf(context, one);
        records.push(...found.records);
        leftOut.push(...(found.leftOut ?? []));
      } catch (error) {
        if (!(error instanceof RemoteRefused) || !ABSENT_STATUSES.includes(error.status)) throw error;
        // One that is gone has no awards; where the first has none, neither has the server.
        if (from + at > 0) continue;
        const message = 'The source has no awards, or the token may not read them.';
        return { records, leftOut: [{ kind: 'award_emoji', name: null, message }], next: null, seen: 0 };
      }
    }
    const next = from + PAGE_SIZE < all.length ? String(from + PAGE_SIZE) : null;
    return { records, leftOut, next, seen: some.length, total: all.length };
  },
};

async function awardsOf(context: PhaseContext, { type, id, path }: Awardable) {
  const records: StagedRecord[] = [];
  const leftOut: LeftOut[] = [];
  let query: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { entries, next } = await readPage(context, `${path}/award_emoji`, query, 'awards');
    const list = { name: 'award_emoji', records: (given: Given) => awardRecords(given, { type, id }) };
    const found = await translated(list, context, entries);
    records.push(...found.records);
    leftOut.push(...(found.leftOut ?? []));
    if (next === null) break;
    query = next;
  }
  return { records, leftOut };
}

async function awardRecords(given: Given, on: Pick<Awardable, 'type' | 'id'>): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const user = optionalUser(given, 'user', records);
  const name = await emojiNamed(textIn(given, 'name', 100));
  if (user === null || name === null) return [];
  const record = {
    id: idIn(given, 'id'),
    subject_type: on.type,
    subject_id: on.id,
    user_id: user,
    name,
    ...timesOf(given),
  };
  return [...records, { kind: 'award_emoji', record }];
}

const awardables = new WeakMap<PhaseContext, Promise<Awardable[]>>();

function awardablesOf(context: PhaseContext): Promise<Awardable[]> {
  const found = awardables.get(context) ?? collect(context);
  awardables.set(context, found);
  return found;
}

async function collect({ staged }: PhaseContext): Promise<Awardable[]> {
  const found = new Map<string, Awardable>();
  const add = (one: Awardable) => found.set(one.path, found.get(one.path) ?? one);
  for await (const { id } of staged('issues')) add({ type: 'Issue', id: id as number, path: `/issues/${id}` });
  for await (const { id } of staged('merge_requests')) {
    add({ type: 'MergeRequest', id: id as number, path: `/merge_requests/${id}` });
  }
  for await (const { id } of staged('snippets')) add({ type: 'Snippet', id: id as number, path: `/snippets/${id}` });
  for await (const { id, system, subject_type: type, subject_id: on } of staged('notes')) {
    const list = type === 'Issue' ? 'issues' : type === 'MergeRequest' ? 'merge_requests' : 'snippets';
    if (system !== true) add({ type: 'Note', id: id as number, path: `/${list}/${on}/notes/${id}` });
  }
  return [...found.values()];
}
