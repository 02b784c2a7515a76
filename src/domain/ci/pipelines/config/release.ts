import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readNames,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';

const TEXTS = ['tag_name', 'description', 'name', 'tag_message', 'ref', 'released_at'];
const REQUIRED = ['tag_name', 'description'];
const LINK = ['name', 'url', 'link_type', 'filepath'];
const LINK_TYPES = ['other', 'runbook', 'image', 'package'];
/** Links of one release. */
const MAX_LINKS = 100;

/** Reads the release that a job makes when its script has succeeded; null if none. Throws InvalidConfig. */
export function readRelease(value: unknown, where: string, budget: ExpansionLimit): Raw | null {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, [...TEXTS, 'milestones', 'assets']);
  const missing = REQUIRED.find((key) => value[key] == null || value[key] === '');
  if (missing) throw new InvalidConfig(`${where} ${missing.replace('_', ' ')} can't be blank`);
  const texts = readTexts(value, TEXTS, where, budget);
  const milestones = readNames(value.milestones, `${where} milestones`, budget);
  const links = readLinks(value.assets, `${where}:assets`, budget);
  return { ...texts, ...(milestones ? { milestones } : {}), ...(links ? { links } : {}) };
}

function readTexts(value: Raw, keys: readonly string[], where: string, budget: ExpansionLimit): Raw {
  const given = keys.filter((key) => value[key] != null);
  return Object.fromEntries(
    given.map((key) => {
      const text = scalarText(value[key]);
      if (text === null) throw new InvalidConfig(`${where} ${key.replace('_', ' ')} should be a string`);
      return [key, budget.spend(text)];
    }),
  );
}

function readLinks(value: unknown, where: string, budget: ExpansionLimit): Raw[] | null {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  requireKeys(value, where, ['links']);
  const links: unknown[] = value.links == null ? [] : [value.links].flat();
  if (links.length > MAX_LINKS)
    throw new InvalidConfig(`${where} links config has too many links (maximum is ${MAX_LINKS})`);
  return links.map((link) => {
    if (!isRecord(link)) throw new InvalidConfig(`${where} links config should be an array of hashes`);
    requireKeys(link, `${where}:links`, LINK);
    if (link.name == null || link.url == null) throw new InvalidConfig(`${where}:links name and url can't be blank`);
    if (link.link_type != null && !LINK_TYPES.some((type) => type === link.link_type)) {
      throw new InvalidConfig(`${where}:links link type must be one of ${LINK_TYPES.join(', ')}`);
    }
    return readTexts(link, LINK, `${where}:links`, budget);
  });
}
