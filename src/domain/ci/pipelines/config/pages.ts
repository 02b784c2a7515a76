import { parseDuration } from '#src/base/duration.ts';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import { refSlug } from '#src/domain/ci/pipelines/config/base/variables.ts';

/** What a job says of the site that it publishes; may contain variables. */
export interface PagesConfig {
  /** The directory of its artifacts that is the site. */
  publish: string;
  /** First part of the path within the site; none for the site itself. */
  path_prefix?: string;
  /** A duration or `never`. */
  expire_in?: string;
}

/** The job that publishes a site though it does not say so, and the directory that is published where none is named. */
const JOB = 'pages';
const DIRECTORY = 'public';

/** Characters of the longest path. */
const MAX_PATH_LENGTH = 1_000;

/** Reads whether a job publishes a site, and how; null if it does not. Throws InvalidConfig. */
export function readPages(raw: Raw, name: string, where: string, budget: ExpansionLimit): PagesConfig | null {
  const { pages, publish } = raw;
  const own = isRecord(pages) ? pages : {};
  if (isRecord(pages)) requireKeys(pages, `${where}:pages`, ['publish', 'path_prefix', 'expire_in']);
  const isWanted = isRecord(pages) || (readBoolean(pages, `${where}:pages config`) ?? name === JOB);
  if (publish != null && own.publish != null) {
    throw new InvalidConfig(`${where}:publish and ${where}:pages:publish cannot be used together`);
  }
  const directory = readPath(own.publish ?? publish, `${where}:publish`, budget);
  if (!isWanted) {
    if (publish != null && pages !== false) throw new InvalidConfig(`${where} publish is for jobs with pages alone`);
    return null;
  }
  const prefix = readPath(own.path_prefix, `${where}:pages path_prefix`, budget);
  const expiry = own.expire_in == null ? null : scalarText(own.expire_in);
  if (own.expire_in != null && (expiry === null || !(expiry.includes('$') || parseDuration(expiry) !== null))) {
    throw new InvalidConfig(`${where}:pages expire in should be a duration`);
  }
  return {
    publish: directory ?? DIRECTORY,
    ...(prefix ? { path_prefix: prefix } : {}),
    ...(expiry === null ? {} : { expire_in: budget.spend(expiry) }),
  };
}

function readPath(value: unknown, where: string, budget: ExpansionLimit): string | null {
  if (value == null) return null;
  if (typeof value !== 'string' || value.length > MAX_PATH_LENGTH) {
    throw new InvalidConfig(`${where} should be a string of at most ${MAX_PATH_LENGTH} characters`);
  }
  return budget.spend(value.trim());
}

/** The artifacts of a job that publishes a site: with the directory of the site, which need not be named among their paths. */
export function withSite(artifacts: unknown, { publish }: PagesConfig): unknown {
  const given = isRecord(artifacts) ? artifacts : {};
  const paths = Array.isArray(given.paths) ? given.paths : [];
  const isNamed = paths.some((path) => plain(path) === plain(publish));
  return isNamed ? given : { ...given, paths: [...paths, publish] };
}

function plain(path: unknown): string {
  return withoutTrailingSlashes(String(path).replace(/^\.?\//, ''));
}

/** Which site a job publishes, with variables expanded; an expiry that makes no sense then is left out. */
export function pagesOptions(
  { pages }: { pages?: unknown },
  expand: (text: string) => string,
): { pages?: PagesConfig } {
  if (!isRecord(pages)) return {};
  const { publish, path_prefix: prefix = '', expire_in: expiry } = pages as unknown as PagesConfig;
  const duration = expiry === undefined ? '' : expand(expiry);
  return {
    pages: {
      publish: expand(publish),
      path_prefix: refSlug(expand(prefix)),
      ...(duration !== '' && parseDuration(duration) !== null ? { expire_in: duration } : {}),
    },
  };
}
