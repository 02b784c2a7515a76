import { lengthError } from '#src/base/text.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** Maximum number of links and of milestones of a release. */
export const MAX_LINKS = 200;
export const MAX_MILESTONES = 100;

/** Characters of the longest name of a release or link, and of the longest address and path. */
const MAX_NAME_LENGTH = 255;
const MAX_URL_LENGTH = 2_000;
const MAX_PATH_LENGTH = 255;

export type ReleaseLinkType = Columns['ReleaseLink']['type'];

/** A link as it is given; null and undefined stand for nothing. */
export interface NewReleaseLink {
  name: string;
  url: string;
  directAssetPath?: string | null | undefined;
  type?: ReleaseLinkType | null | undefined;
}

/** What changes of a link; undefined stays as it is. */
export type LinkChanges = Partial<{ [K in keyof NewReleaseLink]: NewReleaseLink[K] | null | undefined }>;

/** Throws ValidationFailed for the notes or the name of a release. */
export function checkRelease({ name, description }: { name?: string | null; description?: string | null }): void {
  const errors: FieldErrors = {};
  const wrong = lengthError(description);
  if (wrong) errors.description = [wrong];
  if (name && name.length > MAX_NAME_LENGTH) errors.name = [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** The columns of a link, as far as they are given. Throws ValidationFailed, with the names of the REST API. */
export function linkColumns({ name, url, directAssetPath, type }: LinkChanges) {
  const errors: FieldErrors = {};
  if (name !== undefined) {
    if (!name?.trim()) errors.name = ["can't be blank"];
    else if (name.length > MAX_NAME_LENGTH) errors.name = [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`];
  }
  const address = url === undefined ? null : urlError(url ?? '');
  if (address) errors.url = [address];
  const path = directAssetPath || null;
  if (path !== null && !isAssetPath(path)) errors.filepath = ['is in an invalid format'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return {
    ...(name != null && { name }),
    ...(url != null && { url: url.trim() }),
    ...(directAssetPath !== undefined && { directAssetPath: path }),
    ...(type != null && { type }),
  };
}

/** Browsers are sent to it, so it must be one of a protocol for files, and absolute. */
function urlError(url: string): string | null {
  if (url.trim() === '') return "can't be blank";
  if (url.length > MAX_URL_LENGTH) return `is too long (maximum is ${MAX_URL_LENGTH} characters)`;
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : null;
  if (parsed && ['http:', 'https:', 'ftp:'].includes(parsed.protocol) && /^[a-z]+:\/\//i.test(url.trim())) {
    // What would end a header or a tag is written in percent signs.
    return /[\s"<>\\^`{|}]|[^\x20-\x7e]/.test(url.trim()) ? 'is blocked: URI is invalid' : null;
  }
  return 'is blocked: Only allowed schemes are http, https, ftp';
}

/** Begins with a slash, has no empty part or step up, and ends in a letter or digit. */
function isAssetPath(path: string): boolean {
  if (path.length > MAX_PATH_LENGTH || !/^\/[\w.+~@%-]+(\/[\w.+~@%-]+)*$/.test(path) || !/[A-Za-z0-9]$/.test(path))
    return false;
  return path.split('/').every((part) => part !== '..' && part !== '.');
}
