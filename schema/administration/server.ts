import { builder } from '#schema/builder.ts';
import { type CheckedPart, examineServer } from '#src/domain/administration/server_tools.ts';
import { listStorages, type Storage } from '#src/domain/administration/storages.ts';

const CheckStatus = builder.enumType('HealthStatus', {
  description: 'The result of a check of the server.',
  values: {
    OK: { description: 'It is as it should be.' },
    WARN: { description: 'It works, but somebody should look at it.' },
    FAIL: { description: 'It does not work, or not for long.' },
  } as const,
});

const HealthCheck = builder.objectRef<CheckedPart>('HealthCheck').implement({
  description: 'A part of the server that was checked.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What was checked, such as `database`.' }),
    status: t.expose('status', { type: CheckStatus, description: 'The result of the check.' }),
    summary: t.exposeString('summary', { description: 'The state, in one line.' }),
    advice: t.exposeString('advice', {
      nullable: true,
      description: 'How to mend it; null where nothing is to be done.',
    }),
  }),
});

const StorageType = builder.objectRef<Storage>('Storage').implement({
  description: 'A storage of repositories, with what is recorded of the projects there.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the storage in the configuration.' }),
    projects: t.exposeInt('projects', { description: 'Number of projects whose repository lies there.' }),
    repositorySize: t.expose('repositorySize', { type: 'Long', description: 'Size of their repositories in bytes.' }),
    lfsObjectsSize: t.expose('lfsObjectsSize', {
      type: 'Long',
      description: 'Size of their large files (LFS) in bytes.',
    }),
    jobArtifactsSize: t.expose('jobArtifactsSize', {
      type: 'Long',
      description: 'Size of the artifacts of their jobs in bytes.',
    }),
    packagesSize: t.expose('packagesSize', { type: 'Long', description: 'Size of their packages in bytes.' }),
    containerRegistrySize: t.expose('containerRegistrySize', {
      type: 'Long',
      description: 'Size of their container images in bytes.',
    }),
    uploadsSize: t.expose('uploadsSize', {
      type: 'Long',
      description: 'Size of the files that are attached to descriptions and comments, in bytes.',
    }),
    wikiSize: t.expose('wikiSize', {
      type: 'Long',
      description: 'Size of the repositories of wikis of projects and of groups, in bytes.',
    }),
    snippetsSize: t.expose('snippetsSize', {
      type: 'Long',
      description: 'Size of the repositories of snippets, in bytes.',
    }),
    freeSpace: t.expose('freeSpace', {
      type: 'Long',
      nullable: true,
      description: 'Free bytes on the disk of the storage; null where it cannot be asked.',
    }),
    totalSpace: t.expose('totalSpace', {
      type: 'Long',
      nullable: true,
      description: 'Size of the disk of the storage in bytes; null where it cannot be asked.',
    }),
  }),
});

builder.queryFields((t) => ({
  health: t.field({
    type: [HealthCheck],
    nullable: true,
    description: 'The checks of `gantry doctor`, run now: up to 15 seconds. For administrators.',
    resolve: async (_root, _args, context) => [...(await examineServer(context))],
  }),
  storages: t.field({
    type: [StorageType],
    nullable: true,
    description: 'The storages of repositories by name, with sizes. For administrators.',
    resolve: (_root, _args, context) => listStorages(context),
  }),
}));
