import {
  findGoModule,
  findGoVersion,
  type GoModule,
  type GoVersion,
  latestGoVersion,
  listGoVersions,
  readGoArchive,
  readGoMod,
} from '#src/domain/packages/from_git/go.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type Answer, type Call, json, type RegistryRoute } from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const READS = { method: 'GET', at: ['project'], purpose: 'read_package', ability: 'read_package' } as const;
const MODULE = '/packages/go/*module';

/** The protocol of Go's module proxies, for the modules in the repository of a project. */
export const GO: readonly RegistryRoute[] = [
  { ...READS, path: `${MODULE}/@v/list`, answer: sendList },
  { ...READS, path: `${MODULE}/@latest`, answer: async (call) => info(await latestGoVersion(await moduleOf(call))) },
  { ...READS, path: `${MODULE}/@v/:version.info`, answer: async (call) => info((await versionOf(call))[1]) },
  {
    ...READS,
    path: `${MODULE}/@v/:version.mod`,
    answer: async (call) => ({ text: await readGoMod(...(await versionOf(call))) }),
  },
  { ...READS, path: `${MODULE}/@v/:version.zip`, answer: sendArchive },
];

/** `!a` stands for `A`, as file systems may not tell them apart. */
const decoded = (text: string) => text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function moduleOf({ context, place, params, api }: Call): Promise<GoModule> {
  if (place === 'server' || !('project' in place)) throw new NotFound('Project');
  const project = await findProject(context, place.project);
  return findGoModule(context, project, { host: new URL(api).hostname, path: decoded(params.module ?? '') });
}

async function versionOf(call: Call): Promise<[GoModule, GoVersion]> {
  const module = await moduleOf(call);
  return [module, await findGoVersion(module, decoded(call.params.version ?? ''))];
}

async function sendList(call: Call): Promise<Answer> {
  const versions = await listGoVersions(await moduleOf(call));
  return { text: versions.map((version) => `${version}\n`).join('') };
}

function info({ version, commit }: GoVersion): Answer {
  return json({ Version: version, Time: `${new Date(commit.committer.seconds * 1000).toISOString().slice(0, 19)}Z` });
}

async function sendArchive(call: Call): Promise<Answer> {
  const [module, version] = await versionOf(call);
  const content = await readGoArchive(call.context, module, version);
  return { content: { ...content, type: 'application/zip' } };
}
