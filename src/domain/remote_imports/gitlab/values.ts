import { escaped, outsideCode } from '#src/domain/remote_imports/base/rewrite.ts';
import type { PhaseContext, RemoteProject, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  objectsIn,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';

/** The ID of the user who stands for those who are gone. */
const GHOST_ID = 2 ** 40;

/** The ID of a user, whose record comes along; that of the ghost for nobody. */
export function userIn(given: Given, key: string, records: StagedRecord[]): number {
  const found = optionalUser(given, key, records);
  if (found !== null) return found;
  records.push({ kind: 'users', record: { id: GHOST_ID, username: 'ghost', name: 'Ghost User', email: null } });
  return GHOST_ID;
}

/** As userIn, but null for nobody. */
export function optionalUser(given: Given, key: string, records: StagedRecord[]): number | null {
  const user = given[key];
  if (!isGiven(user) || user.id == null) return null;
  const id = idIn(user, 'id');
  const username = titleIn(user, 'username');
  const name = textIn(user, 'name', 255).trim() || username;
  records.push({ kind: 'users', record: { id, username, name, email: emailIn(user) } });
  return id;
}

/** Users in a list, or the one of a server that knew only one. */
export function usersIn(given: Given, list: string, one: string, records: StagedRecord[]): number[] {
  const users = Array.isArray(given[list]) ? objectsIn(given, list) : [given[one]].filter(isGiven);
  const ids = users.flatMap((user) => optionalUser({ user }, 'user', records) ?? []);
  return [...new Set(ids)];
}

/** The address of mail of a user: administrators see that of the account, and others the public one. */
export function emailIn(user: Given): string | null {
  const [found] = ['email', 'public_email']
    .map((key) => (typeof user[key] === 'string' ? textIn(user, key, 254).trim() : ''))
    .filter((email) => email.includes('@') && !/@users\.noreply\./i.test(email));
  return found ?? null;
}

/**
 * A text in which each attached file has one address. What is needed to fetch the files comes along.
 */
export function textWithFiles(given: Given, key: string, context: PhaseContext, records: StagedRecord[]): string {
  const { project, parts } = context;
  return outsideCode(textIn(given, key), (part) =>
    part.replace(uploadsOf(project), (whole, secret: string, given_name: string) => {
      const name = given_name.replace(/(?<![.,;:!?*_~])[.,;:!?*_~]+$/, '');
      const file = uploadRecord(project, secret, name, timeIn(given, 'created_at'));
      if (file === null) return whole;
      if (parts.has('attachments')) records.push(file);
      return `${file.record.address}${given_name.slice(name.length)}`;
    }),
  );
}

/** An attached file of the project that is to be fetched; null if the address is not of one. */
export function uploadRecord(
  project: RemoteProject,
  secret: string,
  name: string,
  created: string | null,
): StagedRecord | null {
  const plain = decoded(name);
  if (plain === null || plain === '' || /[/\\\0]/.test(plain) || /^\.+$/.test(plain)) return null;
  const place = `uploads/${secret}/${encoded(plain)}`;
  const record = {
    release_id: null,
    name: plain,
    address: `${project.server}/-/project/${project.id}/${place}`,
    url: `${project.api}/${place}`,
    // Servers of before 17.4 have them there alone.
    other_url: `${project.web}/${place}`,
    accept: '*/*',
    created_at: created,
  };
  return { kind: 'downloads', record };
}

/** The secret and the name of a file of a project, by its address; null for another one. */
export function uploadAt(project: RemoteProject, address: string): { secret: string; name: string } | null {
  const [found] = address.matchAll(uploadsOf(project));
  return found?.index === 0 && found[0].length === address.length
    ? { secret: found[1] ?? '', name: found[2] ?? '' }
    : null;
}

const patterns = new WeakMap<RemoteProject, RegExp>();

/** The addresses of files of a project in texts: old and new ones, whole or from the root, with the secret and the name. */
function uploadsOf(project: RemoteProject): RegExp {
  const { server, path, id } = project;
  const places = [`/${path}`, `/${path}/-`, `/-/project/${id}`].map((place) => escaped(place));
  const own = `(?:${places.join('|')})`;
  const found =
    patterns.get(project) ??
    new RegExp(
      String.raw`(?<![\w.%/:-])(?:${escaped(server)}${own}|${own})?/uploads/([\da-f]{32})/([^\s()<>"'\\\]\[/?#{}|]{1,255})`,
      'g',
    );
  patterns.set(project, found);
  return found;
}

/** A name as a part of an address that no text ends early. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The day of a time or a day; null for none. */
export function dayIn(given: Given, key: string): string | null {
  return timeIn(given, key)?.slice(0, 10) ?? null;
}
