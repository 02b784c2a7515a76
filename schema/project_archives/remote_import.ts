import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import type { RemoteImportFacts, RemoteUpdateFacts } from '#src/domain/project_archives/find_import.ts';
import { type LeftOut, PARTS, type Part } from '#src/domain/remote_imports/base/source.ts';
import { estimatedEnd, type ImportCount } from '#src/domain/remote_imports/progress.ts';

export const RemoteImportPart = builder.enumType('RemoteImportPart', {
  description: 'A part of a project at another server, besides its repository, settings, labels and milestones.',
  values: values<Part>({
    WIKI: { value: 'wiki', description: 'The repository of the wiki.' },
    ISSUES: { value: 'issues', description: 'Issues with comments and events.' },
    MERGE_REQUESTS: {
      value: 'merge_requests',
      description: 'Merge or pull requests with commits, reviews, comments on lines, and events.',
    },
    RELEASES: { value: 'releases', description: 'Releases with their files.' },
    PROTECTED_BRANCHES: { value: 'protected_branches', description: 'Branches that are protected.' },
    MEMBERS: { value: 'members', description: 'Members who have an account here.' },
    ATTACHMENTS: { value: 'attachments', description: 'Files that texts show or link to.' },
    PACKAGES: { value: 'packages', description: 'Packages of the registries with their files.' },
    IMAGES: { value: 'images', description: 'Images of containers with their tags.' },
  }),
});

const RemoteImportCount = builder.objectRef<ImportCount>('RemoteImportCount').implement({
  description: 'How many records of a kind an import from another server has fetched.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of the records, such as `issues`.' }),
    fetched: t.exposeInt('fetched', { description: 'How many were looked at so far.' }),
    total: t.exposeInt('total', {
      nullable: true,
      description: 'How many there are, at most; null while the source does not tell.',
    }),
  }),
});

const RemoteImportLeftOut = builder.objectRef<LeftOut>('RemoteImportLeftOut').implement({
  description: 'Something of the source that did not come along.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of record, such as `webhooks`.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Number, name or address of it at the source; null for all of its kind.',
    }),
    message: t.exposeString('message', { description: 'Why it did not come along.' }),
  }),
});

/** How far an import or update is. */
type Far = Omit<RemoteUpdateFacts, 'status' | 'error'>;

/** The fields of how far an import or update is, by the word for it. */
function farFields<Facts extends Far>(
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Facts>,
  what: 'import' | 'update',
) {
  return {
    phase: t.field({
      type: 'String',
      nullable: true,
      description: `What is being fetched, such as \`issues\`, or \`importing\` while the project is filled; null before and after the ${what}.`,
      resolve: ({ phase }) => phase,
    }),
    counts: t.field({
      type: [RemoteImportCount],
      description: 'How many records of each kind were fetched, in the order in which they are.',
      resolve: ({ counts }) => counts,
    }),
    leftOut: t.field({
      type: [RemoteImportLeftOut],
      description: 'What did not come along, at most a thousand things. For masters of the project.',
      resolve: ({ leftOut }) => leftOut,
    }),
    continuesAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the ${what} goes on, while it waits because the source takes no more requests; null otherwise.`,
      resolve: ({ continuesAt }) => continuesAt,
    }),
    estimatedFinishAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When all is likely to be fetched, by how fast it was so far; null where that cannot be told.',
      resolve: ({ counts, startedAt, finishedAt }) =>
        finishedAt === null ? estimatedEnd(counts, startedAt, Date.now()) : null,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the ${what} began; null before.`,
      resolve: ({ startedAt }) => startedAt,
    }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the ${what} ended, failed or was canceled; null before.`,
      resolve: ({ finishedAt }) => finishedAt,
    }),
  };
}

const RemoteUpdateStatus = builder.enumType('RemoteImportUpdateStatus', {
  description: 'How far the update of a project from another server is.',
  values: values<RemoteUpdateFacts['status']>({
    SCHEDULED: { value: 'scheduled', description: 'The update waits for its turn.' },
    STARTED: { value: 'started', description: 'The update is running, and the project can be used meanwhile.' },
    FINISHED: { value: 'finished', description: 'The project is up to date as of then.' },
    FAILED: { value: 'failed', description: 'The update failed, and the records of the project are as before.' },
    CANCELED: {
      value: 'canceled',
      description: 'The update was canceled, and the records of the project are as before.',
    },
  }),
});

const RemoteImportUpdate = builder.objectRef<RemoteUpdateFacts>('RemoteImportUpdate').implement({
  description: 'The last update of a project from the server that it was imported from.',
  fields: (t) => ({
    status: t.field({
      type: RemoteUpdateStatus,
      description: 'How far the update is.',
      resolve: ({ status }) => status,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed; null otherwise. Masters of the project see the cause.',
    }),
    ...farFields(t, 'update'),
  }),
});

/** An import from another server. */
export const RemoteImport = builder.objectRef<RemoteImportFacts>('RemoteImport').implement({
  description: 'How far the import of a project from another server is.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'The kind of server, such as `github`.' }),
    parts: t.field({
      type: [RemoteImportPart],
      description: 'What was taken besides the repository, settings, labels and milestones, also by updates.',
      resolve: ({ parts }) => PARTS.filter((part) => parts.includes(part)),
    }),
    canBeUpdated: t.exposeBoolean('canBeUpdated', {
      description:
        'Whether the project can be brought up to date from there by `updateImportedProject`, once the import has ended.',
    }),
    update: t.field({
      type: RemoteImportUpdate,
      nullable: true,
      description: 'The last update of the project from there; null before the first one.',
      resolve: ({ update }) => update,
    }),
    ...farFields(t, 'import'),
  }),
});
