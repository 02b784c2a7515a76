import { builder } from '#schema/builder.ts';
import type { RemoteImportFacts } from '#src/domain/project_archives/find_import.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import { estimatedEnd, type ImportCount } from '#src/domain/remote_imports/progress.ts';

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

/** An import from another server. */
export const RemoteImport = builder.objectRef<RemoteImportFacts>('RemoteImport').implement({
  description: 'How far the import of a project from another server is.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'The kind of server, such as `github`.' }),
    phase: t.exposeString('phase', {
      nullable: true,
      description:
        'What is being fetched, such as `issues`, or `importing` while the project is filled; null before and after the import.',
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
    continuesAt: t.expose('continuesAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the import goes on, while it waits because the source takes no more requests; null otherwise.',
    }),
    estimatedFinishAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When all is likely to be fetched, by how fast it was so far; null where that cannot be told.',
      resolve: ({ counts, startedAt, finishedAt }) =>
        finishedAt === null ? estimatedEnd(counts, startedAt, Date.now()) : null,
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the import began; null before.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the import ended, failed or was canceled; null before.',
    }),
  }),
});
