import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  objectsIn,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';

/** IDs of deleted users, and of those of a server from which the project was moved to Gitea before. */
const GHOST_ID = 2 ** 40;
const EARLIER_ID = 2 ** 41;
/** The largest ID that such a user may have had. */
const MAX_EARLIER_ID = 2 ** 40;

/** The ID of a user, whose record comes along; `given` may name who wrote it at a server before. */
export function userIn(given: Given, key: string, records: StagedRecord[]): number {
  const earlier = textIn(given, 'original_author', 255).trim();
  const earlierId = Number(given.original_author_id);
  if (earlier !== '' && Number.isSafeInteger(earlierId) && earlierId > 0 && earlierId < MAX_EARLIER_ID) {
    return user(EARLIER_ID + earlierId, { username: earlier, name: earlier, email: null }, records);
  }
  const found = isGiven(given[key]) ? given[key] : {};
  // Deleted users, and programs of the server, have IDs below 0.
  if (found.id === undefined || (Number.isSafeInteger(found.id) && (found.id as number) <= 0)) {
    return user(GHOST_ID, { username: 'ghost', name: 'Ghost', email: null }, records);
  }
  const username = titleIn(found, 'login');
  const name = textIn(found, 'full_name', 255).trim() || username;
  return user(idIn(found, 'id'), { username, name, email: emailIn(found) }, records);
}

function user(id: number, named: Readonly<Record<string, string | null>>, records: StagedRecord[]): number {
  records.push({ kind: 'users', record: { id, ...named } });
  return id;
}

/** The address of mail, unless it is one that stands for a hidden one. */
function emailIn(given: Given): string | null {
  const email = textIn(given, 'email', 254).trim();
  return email === '' || /@noreply\./i.test(email) ? null : email;
}

export function usersIn(given: Given, key: string, records: StagedRecord[]): number[] {
  return objectsIn(given, key).map((one) => userIn({ user: one }, 'user', records));
}

/**
 * A text. Attached files have whole addresses in it, also those that are shown below it without being in it; what is needed to fetch
 * them by their names comes along.
 */
export function textWithFiles(
  given: Given,
  key: string,
  { project, parts }: PhaseContext,
  records: StagedRecord[],
): string {
  const own = textIn(given, key).replace(
    /(?<=\]\()\/(?=(?:[\w.-]+\/[\w.-]+\/)?attachments\/[\da-f-]{36})/g,
    `${project.server}/`,
  );
  const below: string[] = [];
  for (const asset of objectsIn(given, 'assets')) {
    const name = titleIn(asset, 'name');
    const address = `${project.server}/attachments/${textIn(asset, 'uuid', 36)}`;
    if (!/\/[\da-f-]{36}$/.test(address)) continue;
    if (!own.includes(address.slice(-36))) below.push(`[${name.replace(/[[\]\\]/g, '')}](${address})`);
    if (!parts.has('attachments')) continue;
    const created = timeIn(asset, 'created_at') ?? timeIn(given, 'created_at');
    const file = {
      id: idIn(asset, 'id'),
      release_id: null,
      name,
      url: address,
      address,
      accept: '*/*',
      created_at: created,
    };
    records.push({ kind: 'downloads', record: file });
  }
  return [own, ...below].filter((part) => part !== '').join('\n\n');
}
