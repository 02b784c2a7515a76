import type { Publication } from '#src/domain/packages/publish.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What a package of PyPI says of itself, as forms and metadata of packages call it. */
export interface PythonFacts {
  name: string;
  version: string;
  requiresPython: string | undefined;
  /** By their names in forms, such as `home_page`. */
  texts: Readonly<Record<string, string>>;
}

const ENDINGS = /(?:\.whl|\.tar\.gz|\.tar\.bz2|\.zip|\.egg)$/;
/** Characters of the longest text that is kept. */
const MAX_TEXT_LENGTH = 4_000;
/** The texts that are kept. */
export const PYTHON_TEXTS = [
  ...['summary', 'author', 'author_email', 'home_page', 'license', 'keywords', 'description_content_type'],
] as const;

/** A name as all ways to write it are one (PEP 503). */
export const normalizedName = (name: string) => name.replace(/[-_.]+/g, '-').toLowerCase();

/**
 * A file of a package of PyPI as it is published, once. Throws BadRequest for one that is not named as one of the package.
 *
 * @param taken the error for a name that a file has already
 */
export function pythonPublication(
  { name, version, requiresPython, texts }: PythonFacts,
  fileName: string,
  taken = 'The name of the file has already been taken',
): Publication {
  const isNamed = normalizedName(fileName).startsWith(`${normalizedName(name)}-`) && ENDINGS.test(fileName);
  if (!isNamed) throw new BadRequest(`The file must be a wheel or source archive of ${name}`, 'content');
  const requires = requiresPython?.slice(0, MAX_TEXT_LENGTH);
  const kept = PYTHON_TEXTS.flatMap((key) => (texts[key] ? [[key, texts[key].slice(0, MAX_TEXT_LENGTH)]] : []));
  const refusal = () => new BadRequest(taken).asExisting({ type: 'Package', name: fileName });
  return {
    ...{ type: 'pypi', name: normalizedName(name), version, fileName },
    manifest: { name, requires_python: requires, ...Object.fromEntries(kept) },
    details: requires === undefined ? {} : { requires_python: requires },
    once: { what: 'file', refusal },
  };
}
