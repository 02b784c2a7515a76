import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { insertProject } from '#src/domain/lifecycle/create_project.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';
import { pathFrom } from '#src/domain/namespaces/path_from.ts';
import { findHome } from '#src/domain/project_archives/import_request.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type Home, holdHome } from '#src/domain/projects/home.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import { textErrors } from '#src/domain/projects/values.ts';
import {
  PARTS,
  type Part,
  type Provider,
  type RemoteAddress,
  type RemoteProject,
  SourceInvalid,
} from '#src/domain/remote_imports/base/source.ts';
import { PROVIDERS, type ProviderName } from '#src/domain/remote_imports/providers.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import { Forbidden, NotFound, RateLimited, ValidationFailed } from '#src/platform/errors.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';
import {
  type RemoteClient,
  RemoteRateLimited,
  RemoteRefused,
  RemoteUnavailable,
} from '#src/platform/outbound/remote_client.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';
import { encrypt } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface WantedRemoteImport {
  provider: ProviderName;
  /** The web address of the server; the usual one of the provider if it is left out. */
  url?: string | null | undefined;
  /** Path of the project there, or its ID. */
  path: string;
  token: string;
  /** Its name at the source if it is left out. */
  name?: string | null | undefined;
  /** The personal namespace of the importer if it is left out. */
  namespace?: NamespaceRef | null | undefined;
  /** All if it is left out. */
  parts?: readonly Part[] | null | undefined;
  /** Parts by the names of v4 that may be left out. */
  optionalStages?: OptionalStages | null | undefined;
}

/** What v4 lets importers leave out; the last two are of this server. */
export interface OptionalStages {
  attachmentsImport?: boolean | null | undefined;
  collaboratorsImport?: boolean | null | undefined;
  packagesImport?: boolean | null | undefined;
  imagesImport?: boolean | null | undefined;
}

/** How often a user may ask for imports, each of which asks another server at once: six times at once, and six times a minute. */
const RATE = { perSecond: 0.1, atOnce: 6 };
const askedOn = ofEachDatabase(() => new LeakyBucket(RATE, 10_000));

/** Characters of the longest token. */
const MAX_TOKEN_LENGTH = 1_000;
const MAX_PATH_LENGTH = 255;
/** Milliseconds that a request waits for the source. */
const TIMEOUT_MS = 15_000;

/**
 * Creates a project that is filled in the background with what another server has of one, after that has told that the project is there
 * and the token may read it. Throws NotFound for the namespace, Forbidden, LimitReached, RateLimited, ValidationFailed.
 */
export async function importFromServer(context: Context, wanted: WantedRemoteImport): Promise<ProjectRow> {
  const actor = requireActor(context);
  const provider = PROVIDERS[wanted.provider];
  await requireSource(context, provider);
  const address = addressOf(wanted, provider, 'project');
  const home = await findHome(context, actor, wanted.namespace ?? null);
  const remote = await lookUp(context, provider, address, 'project', (client) => provider.project(client, address));
  const name = wanted.name?.trim() || remote.name;
  const path = wanted.name?.trim() ? pathFrom(name) : remote.slug;
  const errors = textErrors({ name, path });
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return createImported(context, home, { provider, address, remote, name, path, parts: partsOf(wanted) });
}

/** Requires that projects may be imported from servers of a kind. Throws Forbidden. */
async function requireSource({ db }: Context, { name, label }: Provider): Promise<void> {
  const { importSources } = await currentSettings(db);
  if (!importSources.includes(name)) throw new Forbidden(`Projects cannot be imported from ${label}`);
}

/**
 * Asks a server something with a token. Throws Forbidden where projects cannot be imported from there, RateLimited, ValidationFailed.
 *
 * @param kind what the path is of
 */
export async function askSource<Answered>(
  context: Context,
  provider: Provider,
  wanted: Pick<WantedRemoteImport, 'url' | 'path' | 'token'>,
  kind: 'project' | 'owner',
  ask: (client: RemoteClient, address: RemoteAddress) => Promise<Answered>,
): Promise<Answered> {
  await requireSource(context, provider);
  return lookUp(context, provider, addressOf(wanted, provider, kind), kind, ask);
}

/** Throws RateLimited for a user who asks for imports again and again. On the command line of the server they come one after the other. */
function requireSeldom({ db }: Context, { id, credential }: Actor): void {
  if (credential === 'server') return;
  const asked = askedOn(db);
  if (!asked.tryTake(id)) throw new RateLimited(Math.ceil(asked.wait(id) / 1_000));
}

/** Throws ValidationFailed, which does not repeat the token. */
export function addressOf(
  { url, path, token }: Pick<WantedRemoteImport, 'url' | 'path' | 'token'>,
  provider: Provider,
  kind: 'project' | 'owner',
): RemoteAddress {
  const errors: AddressErrors = {};
  const given = url?.trim() || provider.defaultUrl || '';
  const parsed = parseImportUrl(/^https?:\/\//i.test(given) ? given : `https://${given}`);
  if (typeof parsed === 'string') errors.url = [parsed];
  else if (parsed.credentials !== null) errors.url = ['must not hold a user name or a password'];
  const trimmed = path
    .trim()
    .replace(/^\/+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '');
  const pattern = kind === 'owner' ? /^[\w.-]+(?:\/[\w.-]+)*$/ : /^(?:\d{1,15}|[\w.-]+(?:\/[\w.-]+)+)$/;
  const isPath = trimmed.length <= MAX_PATH_LENGTH && pattern.test(trimmed);
  if (!isPath || trimmed.split('/').some((part) => /^\.+$/.test(part))) {
    errors.path = [
      kind === 'owner' ? 'is not the path of a user or a group' : 'is not the path of a project, or its ID',
    ];
  }
  // It goes into a header.
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_LENGTH) errors.token = ['is not a token'];
  if (typeof parsed === 'string' || Object.keys(errors).length > 0) throw invalid(provider, errors);
  const web = parsed.url.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v[13]$/, '');
  return { url: web, path: trimmed, token };
}

type AddressErrors = Partial<Record<keyof RemoteAddress, string[]>>;

/** The error about what was given, which has other names in v4. */
function invalid({ parameters }: Provider, errors: AddressErrors): ValidationFailed {
  const named = Object.entries(errors).map(([name, messages]) => [parameters[name as keyof RemoteAddress], messages]);
  return new ValidationFailed(Object.fromEntries(named), errors);
}

function partsOf({ parts, optionalStages: stages }: WantedRemoteImport): Part[] {
  const without: Part[] = [
    ...(stages?.attachmentsImport === false ? (['attachments'] as const) : []),
    ...(stages?.collaboratorsImport === false ? (['members'] as const) : []),
    ...(stages?.packagesImport === false ? (['packages'] as const) : []),
    ...(stages?.imagesImport === false ? (['images'] as const) : []),
  ];
  return PARTS.filter((part) => (parts ?? PARTS).includes(part) && !without.includes(part));
}

/** Asks the source something. Throws RateLimited, ValidationFailed. */
async function lookUp<Answered>(
  context: Context,
  provider: Provider,
  address: RemoteAddress,
  kind: 'project' | 'owner',
  ask: (client: RemoteClient, address: RemoteAddress) => Promise<Answered>,
): Promise<Answered> {
  requireSeldom(context, requireActor(context));
  const isOwner = kind === 'owner';
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const client = provider.client(address, context.imports, late);
  try {
    return await ask(client, address);
  } catch (error) {
    if (late.aborted) throw invalid(provider, { url: ['did not answer in time'] });
    if (error instanceof RemoteRefused && [401, 403].includes(error.status ?? 0)) {
      throw invalid(provider, {
        token: [isOwner ? 'is wrong, or may not read the projects' : 'is wrong, or may not read the project'],
      });
    }
    if (error instanceof RemoteRefused && error.status === 404) {
      throw invalid(provider, {
        path: [isOwner ? 'is of nobody whose projects the token may read' : 'is of no project that the token may read'],
      });
    }
    const isOfSource = [RemoteRefused, RemoteUnavailable, RemoteRateLimited, SourceInvalid].some(
      (one) => error instanceof one,
    );
    throw isOfSource ? invalid(provider, { url: [(error as Error).message] }) : error;
  } finally {
    client.close();
  }
}

/** A project that is to be filled from one of another server. */
export interface NewImport {
  provider: Provider;
  address: RemoteAddress;
  remote: RemoteProject;
  name: string;
  path: string;
  parts: readonly Part[];
}

/**
 * Creates a project that is filled in the background. Throws NotFound for a namespace that is gone, LimitReached, ValidationFailed.
 *
 * @param andThen what is done in the same transaction
 */
export async function createImported(
  context: Context,
  home: Home,
  wanted: NewImport,
  andThen?: (tx: Transaction, projectId: number) => Promise<void>,
): Promise<ProjectRow> {
  const { provider, address, remote, name, path, parts } = wanted;
  const userId = requireActor(context).id;
  try {
    const id = await context.db.$transaction(async (tx) => {
      const held = await holdHome(tx, home);
      if (!held) throw new NotFound('Namespace');
      const projectId = await insertProject(tx, context, held, home.ownerId ?? userId, {
        name,
        path,
        visibility: 'private',
        description: null,
        defaultBranch: null,
        tagList: [],
        ciDefaultGitDepth: null,
      });
      // The project may move, but its ID stays.
      const source = encrypt(JSON.stringify({ ...address, path: String(remote.id) }), context.secret);
      await tx.remoteImport.create({
        data: {
          projectId,
          userId,
          provider: provider.name,
          url: address.url,
          path: remote.path,
          source,
          parts: [...parts],
        },
      });
      await tx.project.update({ where: { id: projectId }, data: { importStatus: 'scheduled' } });
      await context.jobs.enqueue(tx, 'projects.import_remote', { projectId, userId });
      await andThen?.(tx, projectId);
      return projectId;
    });
    return await findProject(context, id);
  } catch (error) {
    const taken = await takenIn(context.db, error, { namespaceId: home.id, name, path });
    throw taken ? new ValidationFailed(taken.fields).asExisting(taken.existing) : error;
  }
}
