import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import type { Gem, GemRequirement } from '#src/domain/packages/archives/gem.ts';
import { gemSpecification, gemVersion, marshal, type Ruby } from '#src/domain/packages/archives/marshal.ts';
import { compareVersions } from '#src/domain/packages/compare_versions.ts';
import { gemPublication } from '#src/domain/packages/publications/rubygems.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { deletePackage } from '#src/domain/packages/remove.ts';
import { findFileIn, type ListedVersion, listVersions, versionsOf } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  nothing,
  placesIn,
  publisherIn,
  type RegistryRoute,
  recordBody,
  sendFile,
} from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const AT = '/packages/rubygems';
const READS = { method: 'GET', at: ['project'], purpose: 'read_package', ability: 'read_package' } as const;

/** A source of gems: what `gem push` sends, the index for old programs, and the compact one for Bundler and new ones. */
export const RUBYGEMS: readonly RegistryRoute[] = [
  {
    ...{
      method: 'POST',
      at: ['project'],
      path: `${AT}/api/v1/gems`,
      purpose: 'write_package',
      ability: 'publish_package',
    },
    ...{ body: { file: 'package.gem' }, answer: push },
  },
  {
    ...{
      method: 'DELETE',
      at: ['project'],
      path: `${AT}/api/v1/gems/yank`,
      purpose: 'write_package',
      ability: 'delete_package',
    },
    answer: yank,
  },
  { ...READS, path: `${AT}/api/v1/dependencies`, answer: sendDependencies },
  { ...READS, path: `${AT}/names`, answer: sendNames },
  { ...READS, path: `${AT}/versions`, answer: sendVersions },
  { ...READS, path: `${AT}/info/:name`, answer: sendInfo },
  { ...READS, path: `${AT}/specs.4.8.gz`, answer: sendSpecs(({ prerelease }) => !prerelease) },
  { ...READS, path: `${AT}/latest_specs.4.8.gz`, answer: sendSpecs(({ prerelease }) => !prerelease, true) },
  { ...READS, path: `${AT}/prerelease_specs.4.8.gz`, answer: sendSpecs(({ prerelease }) => prerelease) },
  { ...READS, path: `${AT}/quick/Marshal.4.8/:full.gemspec.rz`, answer: sendSpecification },
  { ...READS, path: `${AT}/gems/:file`, answer: sendGem },
];

async function push(call: Call): Promise<Answer> {
  const { name, version } = await recordBody(call, async (by, stored) => {
    const publication = await gemPublication(by.project.id, stored);
    await recordPackage(call.context, by, publication, stored);
    return publication;
  });
  return { status: 201, text: `Successfully registered gem: ${name} (${version})\n` };
}

async function yank(call: Call): Promise<Answer> {
  const { project } = await publisherIn(call);
  const [name, number, platform] = ['gem_name', 'version', 'platform'].map((key) => call.query.get(key) ?? '');
  const version = platform ? `${number}-${platform}` : number;
  const wanted = { type: 'rubygems', name: name ?? '', version, limit: 1 } as const;
  const [found] = await versionsOf(call.context, await placesIn(call), wanted);
  if (found) await deletePackage(call.context, project.id, found.id);
  return nothing(200);
}

const gemOf = ({ manifest }: ListedVersion) => manifest as Gem;

/** All gems, or the versions of one, the oldest first. */
async function gems(call: Call, name?: string): Promise<ListedVersion[]> {
  const found = await listVersions(call.context, await placesIn(call), {
    type: 'rubygems',
    ...(name !== undefined && { name }),
  });
  return found.toReversed();
}

async function sendNames(call: Call): Promise<Answer> {
  const names = new Set((await gems(call)).map(({ name }) => name));
  return {
    text: `---\n${[...names]
      .sort()
      .map((name) => `${name}\n`)
      .join('')}`,
  };
}

async function sendVersions(call: Call): Promise<Answer> {
  const listed = await gems(call);
  const lines = [...Map.groupBy(listed, ({ name }) => name)].map(([name, own]) => {
    const info = createHash('md5').update(infoOf(own)).digest('hex');
    return `${name} ${own.map(({ version }) => version).join(',')} ${info}\n`;
  });
  const created = (listed.at(-1)?.createdAt ?? new Date(0)).toISOString();
  return { text: `created_at: ${created}\n---\n${lines.sort().join('')}` };
}

async function sendInfo(call: Call): Promise<Answer> {
  const listed = await gems(call, call.params.name);
  if (listed.length === 0) throw new NotFound('PackageFile');
  return { text: infoOf(listed) };
}

const words = (requirement: GemRequirement) =>
  requirement.map(([operator, version]) => `${operator} ${version}`).join('&');

/** What the compact index says of a gem: a line for each version. */
function infoOf(versions: readonly ListedVersion[]): string {
  const lines = versions.map((listed) => {
    const { dependencies, requiredRuby, requiredRubyGems } = gemOf(listed);
    const needs = dependencies
      .filter(({ type }) => type === 'runtime')
      .map(({ name, requirement }) => `${name}:${words(requirement)}`);
    const ends = [
      `checksum:${listed.files.at(-1)?.sha256}`,
      `ruby:${words(requiredRuby)}`,
      `rubygems:${words(requiredRubyGems)}`,
    ];
    return `${listed.version} ${needs.join(',')}|${ends.join(',')}\n`.replace(/[\r\n]+(?!$)/g, ' ');
  });
  return `---\n${lines.join('')}`;
}

function sendSpecs(isShown: (facts: { prerelease: boolean }) => boolean, isLatest = false): RegistryRoute['answer'] {
  return async (call) => {
    const shown = (await gems(call)).filter((listed) =>
      isShown({ prerelease: /[a-zA-Z]/.test(gemOf(listed).version) }),
    );
    const rising = shown.toSorted((one, other) => compareVersions(gemOf(one).version, gemOf(other).version));
    const newest = new Map(rising.map((listed) => [`${listed.name} ${gemOf(listed).platform}`, listed]));
    const specs = (isLatest ? [...newest.values()] : shown).map((listed): Ruby => {
      const { name, version, platform } = gemOf(listed);
      return [name, gemVersion(version), platform];
    });
    return { type: 'application/gzip', text: gzipSync(marshal(specs)) };
  };
}

async function sendSpecification(call: Call): Promise<Answer> {
  const file = await findFileIn(call.context, await placesIn(call), {
    type: 'rubygems',
    fileName: `${call.params.full}.gem`,
  });
  const [listed] = await listVersions(call.context, await placesIn(call), {
    ...{ type: 'rubygems', name: file.name, version: file.version, limit: 1 },
  });
  if (!listed) throw new NotFound('PackageFile');
  return { type: 'application/octet-stream', text: deflateSync(marshal(gemSpecification(gemOf(listed)))) };
}

async function sendGem(call: Call): Promise<Answer> {
  const { file: fileName = '' } = call.params;
  return sendFile(call, await findFileIn(call.context, await placesIn(call), { type: 'rubygems', fileName }));
}

/** Gems whose dependencies one request asks for at most. */
const MAX_ASKED = 100;

async function sendDependencies(call: Call): Promise<Answer> {
  const names = (call.query.get('gems') ?? '').split(',').filter(Boolean).slice(0, MAX_ASKED);
  const all = names.length === 0 ? [] : await gems(call);
  const shown = all.filter(({ name }) => names.includes(name));
  const list = shown.map((listed): Ruby => {
    const { name, version, platform, dependencies } = gemOf(listed);
    const needs = dependencies
      .filter(({ type }) => type === 'runtime')
      .map((other): Ruby => [other.name, words(other.requirement).replaceAll('&', ', ')]);
    const pairs: [string, Ruby][] = [
      ['name', name],
      ['number', version],
      ['platform', platform],
      ['dependencies', needs],
    ];
    return { hash: pairs.map(([key, value]) => [{ symbol: key }, value]) };
  });
  return { type: 'application/octet-stream', text: marshal(list) };
}
