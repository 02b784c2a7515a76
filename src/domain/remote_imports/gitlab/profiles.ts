import type { Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { idIn, objectOf, textIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { emailIn } from '#src/domain/remote_imports/gitlab/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** How many profiles are read: those of users who are named first. */
const MAX_PROFILES = 5_000;
/** How many are read for a page of the staging. */
const PAGE_SIZE = 20;

/** Reads the address of mail of each user who is named in what was fetched, if the token may know it, or the user shows it. */
export const profilePhase: Phase = {
  name: 'users',
  part: null,
  async page(context, cursor) {
    const ids = await usersOf(context);
    const from = Number(cursor ?? 0);
    const records: StagedRecord[] = [];
    const some = ids.slice(from, from + PAGE_SIZE);
    for (const id of some) {
      const profile = await readProfile(context, id);
      if (profile) records.push(profile);
    }
    const next = from + PAGE_SIZE < ids.length ? String(from + PAGE_SIZE) : null;
    return { records, next, seen: some.length, total: ids.length };
  },
};

async function readProfile({ client, project }: PhaseContext, id: number): Promise<StagedRecord | null> {
  const root = project.api.replace(/\/projects\/\d+$/, '');
  try {
    const { body } = await client.json(new URL(`${root}/users/${id}`));
    const given = objectOf(body, 'a user');
    const username = titleIn(given, 'username');
    const name = textIn(given, 'name', 255).trim() || username;
    return { kind: 'users', record: { id: idIn(given, 'id'), username, name, email: emailIn(given) } };
  } catch (error) {
    // Users who are gone keep what their records tell of them.
    if (error instanceof RemoteRefused && error.status !== null) return null;
    throw error;
  }
}

const users = new WeakMap<PhaseContext, Promise<number[]>>();

function usersOf(context: PhaseContext): Promise<number[]> {
  const found = users.get(context) ?? collect(context);
  users.set(context, found);
  return found;
}

/** The IDs of the people who were staged, in the order in which they came. A page of profiles names nobody new. */
async function collect(context: PhaseContext): Promise<number[]> {
  const found = new Set<number>();
  for await (const { id } of context.staged('users')) {
    // The ghost of an import is nobody there.
    if (found.size < MAX_PROFILES && (id as number) < 2 ** 31) found.add(id as number);
  }
  return [...found];
}
