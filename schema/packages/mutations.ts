import { builder } from '#schema/builder.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { PackageFile, PackageStatus } from '#schema/packages/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { publishedFile } from '#src/domain/packages/list.ts';
import { deleteNpmDistTag, type NpmPublication, publishNpmPackage, setNpmDistTag } from '#src/domain/packages/npm.ts';
import { type PublishedFile, publishFile } from '#src/domain/packages/publish.ts';
import { deletePackage, deletePackageFile } from '#src/domain/packages/remove.ts';

const PublishPackageFileInput = builder.inputType('PublishPackageFileInput', {
  description: 'A file of a generic package, which is created with its first one.',
  fields: (t) => ({
    project: projectField(t, 'that publishes the package'),
    packageName: t.string({ required: true, description: 'Name of the package: letters, digits and `._-+`.' }),
    packageVersion: t.string({ required: true, description: 'Version of the package: letters, digits and `._-+`.' }),
    fileName: t.string({
      required: true,
      description: 'Name of the file, with folders; of several with one name the newest is downloaded.',
    }),
    status: t.field({ type: PackageStatus, description: 'Whether the package is shown in lists.' }),
    file: t.field({
      type: 'Upload',
      required: true,
      description: 'The file itself, sent as described in the GraphQL multipart request specification.',
    }),
  }),
});

const DeletePackageInput = builder.inputType('DeletePackageInput', {
  description: 'Which package to delete.',
  fields: (t) => ({
    project: projectField(t, 'of the package'),
    id: t.field({ ...idOf('Package'), required: true, description: 'Numeric ID of the package.' }),
  }),
});

const DeletePackageFileInput = builder.inputType('DeletePackageFileInput', {
  description: 'Which file of a package to delete.',
  fields: (t) => ({
    project: projectField(t, 'of the package'),
    packageId: t.field({ ...idOf('Package'), required: true, description: 'Numeric ID of the package.' }),
    id: t.field({ ...idOf('PackageFile'), required: true, description: 'Numeric ID of the file.' }),
  }),
});

const PublishPackageFilePayload = builder.objectRef<PublishedFile>('PublishPackageFilePayload').implement({
  description: 'The file that was published.',
  fields: (t) => ({
    file: t.field({
      type: PackageFile,
      description: 'The file as it was recorded.',
      resolve: ({ id }, _args, context, info) => publishedFile(context, id, selectionAt(info, 'PackageFile')),
    }),
  }),
});

const DeletePackagePayload = builder.objectRef<{ id: number }>('DeletePackagePayload').implement({
  description: 'The package that was deleted.',
  fields: (t) => ({
    deletedPackageId: t.id({
      description: 'Global ID of the package that was deleted.',
      resolve: ({ id }) => toGlobalId('Package', id),
    }),
  }),
});

const DeletePackageFilePayload = builder.objectRef<{ id: number }>('DeletePackageFilePayload').implement({
  description: 'The file that was deleted.',
  fields: (t) => ({
    deletedPackageFileId: t.id({
      description: 'Global ID of the file that was deleted.',
      resolve: ({ id }) => toGlobalId('PackageFile', id),
    }),
  }),
});

const PublishNpmPackageInput = builder.inputType('PublishNpmPackageInput', {
  description: 'A version of an npm package with its archive, as `npm publish` sends it.',
  fields: (t) => ({
    project: projectField(t, 'that publishes the package'),
    packageName: t.string({ required: true, description: 'Name of the package, with its scope.' }),
    versions: t.field({ type: 'JSON', required: true, description: 'One manifest, by its version.' }),
    distTags: t.field({ type: 'JSON', required: true, description: 'The version, by the tags that lead to it.' }),
    attachments: t.field({
      type: 'JSON',
      required: true,
      description: 'One archive by its file name, with its content as `data` in base64.',
    }),
  }),
});

const npmTag = (t: InputFields) => ({
  project: projectField(t, 'of the package'),
  packageName: t.string({ required: true, description: 'Name of the package, with its scope.' }),
  tag: t.string({ required: true, description: 'Name of the tag, such as `latest`.' }),
});

const SetNpmDistTagInput = builder.inputType('SetNpmDistTagInput', {
  description: 'A tag of an npm package, and the version that it leads to.',
  fields: (t) => ({ ...npmTag(t), version: t.string({ required: true, description: 'A version that is published.' }) }),
});

const DeleteNpmDistTagInput = builder.inputType('DeleteNpmDistTagInput', {
  description: 'Which tag of an npm package to remove.',
  fields: npmTag,
});

const PublishNpmPackagePayload = builder
  .objectRef<{ name: string; version: string }>('PublishNpmPackagePayload')
  .implement({
    description: 'The version that was published.',
    fields: (t) => ({
      packageName: t.exposeString('name', { description: 'Name of the package, with its scope.' }),
      version: t.exposeString('version', { description: 'The version that was published.' }),
    }),
  });

const SetNpmDistTagPayload = builder.objectRef<{ tag: string; version: string }>('SetNpmDistTagPayload').implement({
  description: 'The tag after the mutation.',
  fields: (t) => ({
    tag: t.exposeString('tag', { description: 'Name of the tag that was set.' }),
    version: t.exposeString('version', { description: 'The version that it leads to.' }),
  }),
});

const DeleteNpmDistTagPayload = builder.objectRef<{ tag: string }>('DeleteNpmDistTagPayload').implement({
  description: 'The tag that was removed.',
  fields: (t) => ({
    deletedNpmDistTagName: t.exposeString('tag', { description: 'Name of the tag that was removed.' }),
  }),
});

builder.mutationFields((t) => ({
  publishNpmPackage: t.field({
    type: PublishNpmPackagePayload,
    description: 'Publishes a version of an npm package. For developers. FORBIDDEN when it exists.',
    args: {
      input: t.arg({ type: PublishNpmPackageInput, required: true, description: 'The version, and its archive.' }),
    },
    resolve: (_root, { input: { project, packageName: name, versions, distTags, attachments } }, context) => {
      const given = { versions, distTags, attachments } as Pick<
        NpmPublication,
        'versions' | 'distTags' | 'attachments'
      >;
      return publishNpmPackage(context, project, { name, ...given });
    },
  }),
  setNpmDistTag: t.field({
    type: SetNpmDistTagPayload,
    description: 'Has a tag of an npm package lead to a version. For developers.',
    args: { input: t.arg({ type: SetNpmDistTagInput, required: true, description: 'The tag, and its version.' }) },
    resolve: async (_root, { input: { project, ...tag } }, context) => {
      await setNpmDistTag(context, project, tag);
      return tag;
    },
  }),
  deleteNpmDistTag: t.field({
    type: DeleteNpmDistTagPayload,
    description: 'Removes a tag of an npm package; the version stays. For developers.',
    args: { input: t.arg({ type: DeleteNpmDistTagInput, required: true, description: 'Names the tag to remove.' }) },
    resolve: async (_root, { input: { project, ...tag } }, context) => {
      await deleteNpmDistTag(context, project, tag);
      return tag;
    },
  }),
  publishPackageFile: t.field({
    type: PublishPackageFilePayload,
    description: 'Publishes a file of a generic package. For developers.',
    args: {
      input: t.arg({ type: PublishPackageFileInput, required: true, description: 'Names the package, and the file.' }),
    },
    resolve: (_root, { input: { project, packageName: name, packageVersion: version, ...given } }, context) =>
      publishFile(context, project, { name, version, ...given }),
  }),
  deletePackage: t.field({
    type: DeletePackagePayload,
    description: 'Deletes a version of a package with its files. For masters.',
    args: { input: t.arg({ type: DeletePackageInput, required: true, description: 'Names the package to delete.' }) },
    resolve: async (_root, { input: { project, id } }, context) => ({ id: await deletePackage(context, project, id) }),
  }),
  deletePackageFile: t.field({
    type: DeletePackageFilePayload,
    description: 'Deletes a file of a package, which stays, even if it is empty then. For masters.',
    args: { input: t.arg({ type: DeletePackageFileInput, required: true, description: 'Names the file to delete.' }) },
    resolve: async (_root, { input: { project, ...which } }, context) => ({
      id: await deletePackageFile(context, project, which),
    }),
  }),
}));
