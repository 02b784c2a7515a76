import { readBasic } from '#src/access/credentials/credentials.ts';
import {
  type ConanReference,
  conanFiles,
  conanPackages,
  conanRevisions,
  filesOf,
  findRecipe,
  folderOf,
  packagesOf,
  searchRecipes,
} from '#src/domain/packages/conan.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { deleteFilesBelow } from '#src/domain/packages/remove.ts';
import { findFileIn } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  json,
  nothing,
  placesIn,
  publisherIn,
  type RegistryRoute,
  recordBody,
  sendFile,
} from '#src/entrances/web/packages/call.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';

const READS = { method: 'GET', at: ['project'], purpose: 'read_package', ability: 'read_package' } as const;
const PUTS = { method: 'PUT', at: ['project'], purpose: 'write_package', ability: 'publish_package' } as const;
const DELETES = { method: 'DELETE', at: ['project'], purpose: 'write_package', ability: 'delete_package' } as const;
const RECIPE = '/packages/conan/v2/conans/:name/:version/:user/:channel';
const REVISION = `${RECIPE}/revisions/:rrev`;
const PACKAGE = `${REVISION}/packages/:package`;
const BUILD = `${PACKAGE}/revisions/:prev`;

/** The API of Conan 2, with revisions. What signs clients in is below `v1` for some of them. */
export const CONAN: readonly RegistryRoute[] = [
  ...['v1', 'v2'].flatMap((version) => [
    { ...READS, path: `/packages/conan/${version}/ping`, answer: ping },
    { ...READS, path: `/packages/conan/${version}/users/authenticate`, answer: giveToken },
    { ...READS, path: `/packages/conan/${version}/users/check_credentials`, answer: checkToken },
    { ...READS, path: `/packages/conan/${version}/conans/search`, answer: search },
  ]),
  { ...READS, path: `${RECIPE}/latest`, answer: sendLatest },
  { ...READS, path: `${RECIPE}/revisions`, answer: sendRevisions },
  { ...READS, path: `${REVISION}/search`, answer: async (call) => json(await conanPackages(...(await asked(call)))) },
  { ...READS, path: `${PACKAGE}/latest`, answer: sendLatest },
  { ...READS, path: `${PACKAGE}/revisions`, answer: sendRevisions },
  ...[REVISION, BUILD].flatMap((path): RegistryRoute[] => [
    { ...READS, path: `${path}/files`, answer: sendFiles },
    { ...READS, path: `${path}/files/:file`, answer: sendContent },
    { ...PUTS, path: `${path}/files/:file`, body: { file: 'file' }, answer: takeFile },
  ]),
  ...[RECIPE, REVISION, PACKAGE, BUILD].map((path) => ({ ...DELETES, path, answer: remove(folderOf) })),
  { ...DELETES, path: `${REVISION}/packages`, answer: remove(packagesOf) },
];

function ping(): Promise<Answer> {
  return Promise.resolve({ headers: { 'X-Conan-Server-Capabilities': 'revisions' }, text: '' });
}

/** What the client sends from then on: the password itself, which is a token already. Throws Unauthenticated. */
function giveToken({ context, request }: Call): Promise<Answer> {
  const password = readBasic(request.headers.authorization)?.password;
  if (!context.actor || !password) throw new Unauthenticated();
  return Promise.resolve({ text: password, headers: { 'Cache-Control': 'no-store' } });
}

function checkToken({ context }: Call): Promise<Answer> {
  if (!context.actor) throw new Unauthenticated();
  return Promise.resolve({ text: 'ok' });
}

/** What the path names. `_` stands for no user and channel. */
function referenceOf({ params }: Call): ConanReference {
  const { name = '', version = '', user = '_', channel = '_', rrev, package: id, prev } = params;
  const own = user === '_' && channel === '_' ? version : `${version}@${user}/${channel}`;
  const parts = [rrev, id, prev].filter((part) => part !== undefined);
  if (parts.some((part) => !/^[\w.-]+$/.test(part))) throw new NotFound('PackageFile');
  return { name, version: own, parts };
}

async function asked(call: Call) {
  return [call.context, await placesIn(call), referenceOf(call)] as const;
}

async function search(call: Call): Promise<Answer> {
  const results = await searchRecipes(call.context, await placesIn(call), call.query.get('q') ?? '*');
  return json({ results });
}

async function sendLatest(call: Call): Promise<Answer> {
  const [latest] = await conanRevisions(...(await asked(call)));
  return json(latest);
}

async function sendRevisions(call: Call): Promise<Answer> {
  return json({ revisions: await conanRevisions(...(await asked(call))) });
}

async function sendFiles(call: Call): Promise<Answer> {
  const names = await conanFiles(...(await asked(call)));
  return json({ files: Object.fromEntries(names.map((name) => [name, {}])) });
}

function fileNameOf(call: Call): string {
  return `${filesOf(referenceOf(call))}${call.params.file}`;
}

async function sendContent(call: Call): Promise<Answer> {
  const { name, version } = referenceOf(call);
  const wanted = { type: 'conan', name, version, fileName: fileNameOf(call) } as const;
  return sendFile(call, await findFileIn(call.context, await placesIn(call), wanted));
}

async function takeFile(call: Call): Promise<Answer> {
  const { name, version } = referenceOf(call);
  const named = { type: 'conan', name, version, fileName: fileNameOf(call) } as const;
  await recordBody(call, (by, stored) => recordPackage(call.context, by, named, stored));
  return nothing(200);
}

/** Deletes what is in a folder of a recipe. */
function remove(folder: (reference: ConanReference) => string): RegistryRoute['answer'] {
  return async (call) => {
    const reference = referenceOf(call);
    const { project } = await publisherIn(call);
    const packageId = await findRecipe(call.context, await placesIn(call), reference);
    const count = await deleteFilesBelow(call.context, project.id, { packageId, prefix: folder(reference) });
    if (count === 0) throw new NotFound('PackageFile');
    return nothing(200);
  };
}
