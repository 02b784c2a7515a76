import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '#src/platform/package_root.ts';

/** A service of a Compose file, as far as tests start one. */
export interface ComposeService {
  image?: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  configs?: { source: string; target: string }[];
}

/** A Compose file with its variables filled in. */
export interface ComposeFile {
  services: Record<string, ComposeService>;
  configs: Record<string, { content: string }>;
}

/**
 * Reads a Compose file of the package as `docker compose` does.
 *
 * @throws Error with the file's own words where a variable is missing
 */
export function readCompose(file: string, variables: Readonly<Record<string, string>>): ComposeFile {
  return filledIn(parse(readFileSync(packagePath(file), 'utf8'), { merge: true }), variables) as ComposeFile;
}

function filledIn(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name, how, rest) => {
      if (whole === '$$') return '$';
      const found = variables[name];
      if (found !== undefined && found !== '') return found;
      if (how === '?') throw new Error(`${name}: ${rest}`);
      return rest ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((one) => filledIn(one, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one, variables)]));
}
