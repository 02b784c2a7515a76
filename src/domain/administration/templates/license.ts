import { readFile } from 'node:fs/promises';
import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { LICENSES, type LicenseFacts } from '#src/domain/administration/templates/licenses.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { packagePath } from '#src/platform/package_root.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** A license with its text. */
export interface LicenseTemplate extends LicenseFacts {
  /** URL of a page about the license. */
  htmlUrl: string;
  content: string;
}

/** Characters of the longest name that is inserted into a text. */
const MAX_NAME_LENGTH = 255;

/** The licenses by key, with placeholders in their texts. */
export async function listLicenses(
  { actor }: Context,
  popular: boolean,
  { offset, limit }: PageRequest,
): Promise<Page<LicenseTemplate>> {
  requireApiScope(actor);
  const wanted = LICENSES.filter((license) => !popular || license.popular);
  const nodes = await Promise.all(wanted.slice(offset, offset + limit).map(load));
  return { nodes, offset, total: wanted.length };
}

/** The licenses with placeholders in their texts, for work of the server. */
export function licenseTexts(): Promise<LicenseTemplate[]> {
  return Promise.all(LICENSES.map(load));
}

/** The license with that key, with placeholders in its text; null if there is none of this server. */
export async function licenseWithKey(key: string): Promise<LicenseTemplate | null> {
  const facts = LICENSES.find((license) => license.key === key);
  return facts ? load(facts) : null;
}

/** Values for the placeholders of a license. */
export interface Filling {
  project?: string | null | undefined;
  /** The copyright holder; the actor when absent. */
  fullName?: string | null | undefined;
}

/**
 * The license with that key, ignoring case, for any caller: with the year (UTC) in its text, and with project and full name if
 * known. Throws NotFound, ValidationFailed.
 */
export async function findLicense(context: Context, key: string, filling: Filling): Promise<LicenseTemplate> {
  requireApiScope(context.actor);
  const facts = LICENSES.find((license) => license.key === key.toLowerCase());
  if (!facts) throw new NotFound('License');
  for (const [name, value] of Object.entries({ project: filling.project, fullname: filling.fullName })) {
    if ((value?.length ?? 0) > MAX_NAME_LENGTH) {
      throw new ValidationFailed({ [name]: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] });
    }
  }
  const license = await load(facts);
  const fullName = filling.fullName || (await nameOfActor(context));
  return { ...license, content: fill(license.content, { project: filling.project, fullName }) };
}

async function nameOfActor({ db, actor }: Context): Promise<string | undefined> {
  if (!actor) return undefined;
  return (await db.user.findUnique({ where: { id: actor.id }, select: { name: true } }))?.name;
}

const [YEAR, PROJECT, FULL_NAME] = [
  /[<[](?:year|yyyy)[>\]]/gi,
  /<(?:program|one line [^<>\n]{1,80})>/gi,
  /[<[](?:copyright holders|owner|name of (?:author|copyright owner))[>\]]/gi,
];

function fill(text: string, { project, fullName }: Filling): string {
  const year = String(new Date().getUTCFullYear());
  // Each replacement is a function, so that `$` in a name has no special meaning.
  const dated = text.replace(YEAR, () => year);
  const named = project ? dated.replace(PROJECT, () => project) : dated;
  return fullName ? named.replace(FULL_NAME, () => fullName) : named;
}

const loaded = new Map<string, Promise<LicenseTemplate>>();

/** Reads the text of a license on first use, and keeps it. */
function load(facts: LicenseFacts): Promise<LicenseTemplate> {
  const known = loaded.get(facts.key);
  if (known) return known;
  const loading = read(facts);
  loaded.set(facts.key, loading);
  loading.catch(() => loaded.delete(facts.key));
  return loading;
}

async function read(facts: LicenseFacts): Promise<LicenseTemplate> {
  const content = await readFile(packagePath(`assets/templates/licenses/${facts.key}.txt`), 'utf8');
  return { ...facts, htmlUrl: `https://choosealicense.com/licenses/${facts.key}/`, content };
}
