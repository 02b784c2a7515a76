import type { Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { idIn, objectOf, textIn } from '#src/domain/remote_imports/base/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** How many profiles are read: those of users who are named first. */
const MAX_PROFILES = 5_000;
/** How many are read for a page of the staging. */
const PAGE_SIZE = 20;

/** Reads the public address of mail and the name of each user who is named in what was fetched. */
export const profilePhase: Phase = {
  name: 'users',
  part: null,
  async page(context, cursor) {
    const logins = await loginsOf(context);
    const from = Number(cursor ?? 0);
    const records: StagedRecord[] = [];
    for (const login of logins.slice(from, from + PAGE_SIZE)) {
      const profile = await readProfile(context, login);
      if (profile) records.push(profile);
    }
    const next = from + PAGE_SIZE < logins.length ? String(from + PAGE_SIZE) : null;
    return { records, next, seen: Math.min(PAGE_SIZE, logins.length - from), total: logins.length };
  },
};

async function readProfile({ client, project }: PhaseContext, login: string): Promise<StagedRecord | null> {
  const root = project.api.replace(/\/repos\/.*$/, '');
  try {
    const { body } = await client.json(new URL(`${root}/users/${encodeURIComponent(login)}`));
    const given = objectOf(body, 'a user');
    const email = textIn(given, 'email', 254).trim() || null;
    const name = textIn(given, 'name', 255).trim() || login;
    return { kind: 'users', record: { id: idIn(given, 'id'), username: login, name, email } };
  } catch (error) {
    // Users who are gone keep what their records tell of them.
    if (error instanceof RemoteRefused && error.status !== null) return null;
    throw error;
  }
}

const logins = new WeakMap<PhaseContext, Promise<string[]>>();

function loginsOf(context: PhaseContext): Promise<string[]> {
  const found = logins.get(context) ?? collect(context);
  logins.set(context, found);
  return found;
}

/** The names of the people who were staged, in the order in which they came. Programs have no profiles. */
async function collect(context: PhaseContext): Promise<string[]> {
  const found = new Set<string>();
  for await (const { username, is_bot: isBot } of context.staged('users')) {
    // A page of profiles says nothing of it: it came later, and names nobody new.
    if (isBot === false && found.size < MAX_PROFILES) found.add(username as string);
  }
  return [...found];
}
