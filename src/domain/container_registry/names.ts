import { RegistryError } from '#src/domain/container_registry/errors.ts';

/** Characters of the longest name of a repository. */
const MAX_NAME_LENGTH = 255;
/** How many components may stand behind the path of a project. */
const MAX_COMPONENTS_AFTER_PROJECT = 2;

const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** A way to read the name of a repository: a project, and what stands behind its path. */
export interface NameSplit {
  /** Path of the namespace of the project, in lower case. */
  around: string;
  /** Path of the project in its namespace, in lower case. */
  own: string;
  /** Empty for the images of the project itself. */
  name: string;
}

/** The ways to read a name, longest path of a project first. Throws RegistryError for what is no name. */
export function splitsOf(name: string): NameSplit[] {
  const components = name.split('/');
  if (name.length > MAX_NAME_LENGTH || !/^[a-z0-9._/-]+$/.test(name) || components.includes(''))
    throw invalidName(name);
  const splits: NameSplit[] = [];
  for (let behind = 0; behind <= MAX_COMPONENTS_AFTER_PROJECT && components.length - behind >= 2; behind++) {
    const at = components.length - behind;
    const rest = components.slice(at);
    if (!rest.every((component) => COMPONENT.test(component))) continue;
    splits.push({ around: components.slice(0, at - 1).join('/'), own: components[at - 1] ?? '', name: rest.join('/') });
  }
  return splits;
}

function invalidName(name: string): RegistryError {
  return new RegistryError('NAME_INVALID', 'The name is not that of a repository', {
    name: name.slice(0, MAX_NAME_LENGTH),
  });
}

/** Whether a text is a digest that the registry supports: SHA-256. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text);
}

/** The digest of a text. Throws RegistryError for anything else. */
export function requireDigest(text: string | undefined): string {
  if (isDigest(text)) return text;
  throw new RegistryError('DIGEST_INVALID', 'A digest is sha256: and 64 hexadecimal digits in lower case');
}

/** What a manifest is asked for by: its digest, or a tag. Throws RegistryError. */
export function referenceOf(text: string): { digest: string } | { tag: string } {
  if (text.includes(':')) return { digest: requireDigest(text) };
  if (TAG.test(text)) return { tag: text };
  throw new RegistryError('TAG_INVALID', 'A tag has up to 128 letters, digits and the signs . _ -');
}

/** The full name of a repository, in lower case as clients need it. */
export function imagePath(fullPath: string, name: string): string {
  return (name === '' ? fullPath : `${fullPath}/${name}`).toLowerCase();
}
