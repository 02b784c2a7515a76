import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { findInTar, MAX_ENTRY_BYTES } from '#src/domain/packages/archives/tar.ts';
import { readYamlMap } from '#src/domain/packages/archives/yaml.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** What a version must be: `[['>=', '1'], ['<', '20']]`. */
export type GemRequirement = [operator: string, version: string][];

/** Another gem that one needs. */
export interface GemDependency {
  name: string;
  requirement: GemRequirement;
  type: 'runtime' | 'development';
}

/** What a gem says of itself. */
export interface Gem extends Manifest {
  name: string;
  version: string;
  /** `ruby` where it runs everywhere. */
  platform: string;
  /** `2026-11-29` */
  date: string;
  summary: string | null;
  description: string | null;
  homepage: string | null;
  authors: string[];
  email: string | string[] | null;
  licenses: string[];
  metadata: Record<string, string>;
  dependencies: GemDependency[];
  requiredRuby: GemRequirement;
  requiredRubyGems: GemRequirement;
  rubygemsVersion: string;
}

/** Gems that one needs at most, and characters of the longest text. */
const MAX_DEPENDENCIES = 500;
const MAX_TEXT_LENGTH = 4_000;

/** What a gem of a project says of itself. Throws BadRequest, Unavailable. */
export async function readGem(projectId: number, content: AsyncIterable<Uint8Array>): Promise<Gem> {
  const packed = await findInTar(content, (name) => name === 'metadata.gz');
  if (!packed) throw new BadRequest('The file is no gem: it has no metadata');
  const text = await promisify(gunzip)(packed.content, { maxOutputLength: MAX_ENTRY_BYTES }).catch(() => null);
  if (text === null) throw new BadRequest('The metadata of the gem cannot be unpacked, or is too large');
  const given = await readYamlMap(`project ${projectId}`, (text as Buffer).toString('utf8'));
  if (!given) throw new BadRequest('The metadata of the gem is not valid');
  return gemOf(given);
}

function gemOf(given: Manifest): Gem {
  const version = textAt(given.version, 'version');
  if (typeof given.name !== 'string' || version === null)
    throw new BadRequest('The gem must have a name and a version');
  const dependencies = Array.isArray(given.dependencies) ? given.dependencies.filter(isRecord) : [];
  if (dependencies.length > MAX_DEPENDENCIES) throw new BadRequest('The gem needs too many others');
  return {
    ...{ name: given.name, version, platform: text(given.platform) ?? 'ruby' },
    date: /^\d{4}-\d\d-\d\d/.exec(text(given.date) ?? '')?.[0] ?? '1980-01-02',
    ...{ summary: text(given.summary), description: text(given.description), homepage: text(given.homepage) },
    ...{ authors: texts(given.authors), licenses: texts(given.licenses) },
    email: Array.isArray(given.email) ? texts(given.email) : text(given.email),
    metadata: Object.fromEntries(
      Object.entries(isRecord(given.metadata) ? given.metadata : {}).map(([key, value]) => [key, text(value) ?? '']),
    ),
    dependencies: dependencies.map(dependencyOf),
    requiredRuby: requirementOf(given.required_ruby_version),
    requiredRubyGems: requirementOf(given.required_rubygems_version),
    rubygemsVersion: text(given.rubygems_version) ?? '3.0.0',
  };
}

function dependencyOf({ name, requirement, type, version_requirements: older }: Manifest): GemDependency {
  const isRuntime = type !== ':development' && type !== 'development';
  return {
    name: text(name) ?? '',
    requirement: requirementOf(requirement ?? older),
    type: isRuntime ? 'runtime' : 'development',
  };
}

function requirementOf(given: unknown): GemRequirement {
  const list = isRecord(given) && Array.isArray(given.requirements) ? given.requirements : [];
  const pairs = list.flatMap((pair): GemRequirement => {
    const [operator, version] = Array.isArray(pair) ? pair : [];
    return [[text(operator) ?? '>=', textAt(version, 'version') ?? '0']];
  });
  return pairs.length > 0 ? pairs : [['>=', '0']];
}

function textAt(value: unknown, key: string): string | null {
  return text(isRecord(value) ? value[key] : value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_TEXT_LENGTH) : null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_DEPENDENCIES).flatMap((one) => text(one) ?? []) : [];
}

function isRecord(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
