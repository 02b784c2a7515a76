import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { values } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import type { BulkImportStatus as Status } from '#src/domain/bulk_imports/find.ts';
import type { SourceType } from '#src/domain/bulk_imports/request.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import type { ImportCount } from '#src/domain/remote_imports/progress.ts';

export const BulkImportStatus = builder.enumType('BulkImportStatus', {
  description: 'How far an import from another GitLab is, or a group or project of it.',
  values: values<Status>({
    CREATED: { value: 'created', description: 'It waits for its turn.' },
    STARTED: { value: 'started', description: 'It is being imported.' },
    FINISHED: { value: 'finished', description: 'It has ended, and not everything failed.' },
    FAILED: { value: 'failed', description: 'It failed; `failures` say why.' },
    TIMEOUT: { value: 'timeout', description: 'It took longer than imports may.' },
    CANCELED: { value: 'canceled', description: 'It was canceled before it ended.' },
  }),
});

export const BulkImportSourceType = builder.enumType('BulkImportSourceType', {
  description: 'What is moved in from another GitLab.',
  values: values<SourceType>({
    GROUP_ENTITY: { value: 'group_entity', description: 'A group with the groups in it.' },
    PROJECT_ENTITY: { value: 'project_entity', description: 'A project with what it has.' },
  }),
});

/** A group or project that could not be imported. */
interface Failure {
  relation: string;
  message: string;
  exceptionClass: string;
  correlationId: string;
  sourceUrl: string;
  sourceTitle: string;
}

const BulkImportFailure = builder.objectRef<Failure>('BulkImportFailure').implement({
  description: 'Why a group or project was not imported.',
  fields: (t) => ({
    relation: t.exposeString('relation', { description: 'What was not imported: `group` or `project`.' }),
    message: t.exposeString('message', { description: 'Why it was not imported.' }),
    exceptionClass: t.exposeString('exceptionClass', {
      description: 'The kind of failure: `Timeout`, or `ImportFailed` for all others.',
    }),
    correlationId: t.exposeString('correlationId', { description: 'Name of the import, the same in all its parts.' }),
    sourceUrl: t.field({
      type: 'URL',
      description: 'Web address of the group or project at the source.',
      resolve: ({ sourceUrl }) => sourceUrl,
    }),
    sourceTitle: t.exposeString('sourceTitle', { description: 'Full path of it at the source.' }),
  }),
});

/** What came along of a kind. */
interface Stat {
  kind: string;
  source: number;
  fetched: number;
  imported: number;
}

const BulkImportStat = builder.objectRef<Stat>('BulkImportStat').implement({
  description: 'How many records of a kind an import has brought along.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of the records, such as `labels`.' }),
    source: t.exposeInt('source', { description: 'How many there are at the source, as far as that is known.' }),
    fetched: t.exposeInt('fetched', { description: 'How many were looked at so far.' }),
    imported: t.exposeInt('imported', { description: 'How many are here: none before the end.' }),
  }),
});

const BulkImportLeftOut = builder.objectRef<LeftOut>('BulkImportLeftOut').implement({
  description: 'Something of a group or project that did not come along.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of record, such as `variables`.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Number, name or address of it at the source; null for all of its kind.',
    }),
    message: t.exposeString('message', { description: 'Why it did not come along.' }),
  }),
});

export const BulkImport = builder.prismaObject('BulkImport', {
  description: 'Groups and projects that are moved in from another GitLab together.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID of the import.', resolve: ({ id }) => toGlobalId('BulkImport', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the import.' }),
    status: t.expose('status', { type: BulkImportStatus, description: 'How far the import is.' }),
    sourceType: t.string({
      description: 'The kind of the other server: always `gitlab`, which Gantry is one of.',
      resolve: () => 'gitlab',
    }),
    sourceUrl: t.expose('url', { type: 'URL', description: 'The web address of the other server.' }),
    hasFailures: t.exposeBoolean('hasFailures', {
      description: 'Whether a group or project of the import failed; known once it has ended.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the import was asked for.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the import last got further.' }),
  }),
});

export const BulkImportEntity = builder.prismaObject('BulkImportEntity', {
  description: 'A group or a project that is moved in from another GitLab.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of this part of the import.',
      resolve: ({ id }) => toGlobalId('BulkImportEntity', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of this part of the import.' }),
    bulkImportId: t.exposeInt('bulkImportId', { description: 'Numeric ID of the import that it is a part of.' }),
    status: t.expose('status', { type: BulkImportStatus, description: 'How far this part is.' }),
    entityType: t.exposeString('kind', { description: 'What it is: `group` or `project`.' }),
    sourceFullPath: t.exposeString('sourceFullPath', {
      description: 'Where the group or project is at the other server.',
    }),
    destinationFullPath: t.string({
      description: 'Its full path here, as it was asked for.',
      select: { destinationNamespace: true, destinationSlug: true },
      resolve: ({ destinationNamespace: place, destinationSlug: slug }) => (place === '' ? slug : `${place}/${slug}`),
    }),
    destinationSlug: t.exposeString('destinationSlug', { description: 'The last part of its path here.' }),
    destinationNamespace: t.exposeString('destinationNamespace', {
      description: 'Full path of the group that it was put into; empty for a group at the top.',
    }),
    bulkImport: t.relation('bulkImport', { description: 'The import that it is a part of.' }),
    parent: t.relation('parent', {
      nullable: true,
      description: 'The part whose group has the project; null for what was asked for by itself.',
    }),
    parentId: t.exposeInt('parentId', {
      nullable: true,
      description: 'Numeric ID of the part whose group has the project; null for what was asked for by itself.',
    }),
    namespaceId: t.exposeInt('namespaceId', {
      nullable: true,
      description: 'Numeric ID of the group that it became; null before, and for projects.',
    }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project that it became; null before, and for groups.',
    }),
    migrateProjects: t.exposeBoolean('migrateProjects', {
      description: 'Whether the projects of the group come along.',
    }),
    migrateMemberships: t.exposeBoolean('migrateMemberships', {
      description: 'Whether members who have an account here come along.',
    }),
    hasFailures: t.boolean({
      description: 'Whether it failed, or took too long.',
      select: { error: true },
      resolve: ({ error }) => error !== null,
    }),
    failures: t.field({
      type: [BulkImportFailure],
      description: 'Why it failed; empty if it did not.',
      select: {
        ...{ error: true, status: true, kind: true, correlationId: true, sourceFullPath: true },
        bulkImport: { select: { url: true } },
      },
      resolve: ({ error, status, kind, correlationId, sourceFullPath, bulkImport }) =>
        error === null
          ? []
          : [
              {
                ...{ relation: kind, message: error, correlationId, sourceTitle: sourceFullPath },
                exceptionClass: status === 'timeout' ? 'Timeout' : 'ImportFailed',
                sourceUrl: `${bulkImport.url}/${sourceFullPath}`,
              },
            ],
    }),
    stats: t.field({
      type: [BulkImportStat],
      description: 'How many records of each kind came along, in the order in which they are fetched.',
      select: { counts: true, status: true },
      resolve: ({ counts, status }) =>
        (counts as unknown as ImportCount[]).map(({ kind, fetched, total }) => ({
          ...{ kind, fetched, source: total ?? fetched },
          imported: status === 'finished' ? fetched : 0,
        })),
    }),
    leftOut: t.field({
      type: [BulkImportLeftOut],
      description: 'What did not come along, at most a thousand things.',
      select: { leftOut: true },
      resolve: ({ leftOut }) => leftOut as unknown as LeftOut[],
    }),
    continuesAt: t.expose('continuesAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a group goes on, while it waits because the source takes no more requests; null otherwise.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was asked for, or found in its group.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last got further.' }),
  }),
});

export const BulkImportConnection = connectionOf('BulkImport', BulkImport);
export const BulkImportEntityConnection = connectionOf('BulkImportEntity', BulkImportEntity);
