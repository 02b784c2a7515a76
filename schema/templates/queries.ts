import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { onlyField } from '#schema/inputs.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { type FileTemplate, findTemplate, listTemplates } from '#src/domain/administration/templates/files.ts';
import { findLicense, type LicenseTemplate, listLicenses } from '#src/domain/administration/templates/license.ts';

export const License = builder.objectRef<LicenseTemplate>('LicenseTemplate').implement({
  description: 'A license to put into a project.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the license, which its key makes.',
      resolve: ({ key }) => toGlobalId('LicenseTemplate', [key]),
    }),
    key: t.exposeString('key', { description: 'Key of the license: `mit`, `apache-2.0`, `gpl-3.0`.' }),
    name: t.exposeString('name', { description: 'Full name of the license.' }),
    nickname: t.exposeString('nickname', {
      nullable: true,
      description: 'What the license is called for short: `GNU GPLv3`; null for most.',
    }),
    popular: t.exposeBoolean('popular', { description: 'Whether many projects use it.' }),
    htmlUrl: t.exposeString('htmlUrl', { description: 'URL of a page that explains the license.' }),
    sourceUrl: t.exposeString('sourceUrl', { description: 'URL of the original license.' }),
    description: t.exposeString('description', { description: 'What the license is about, in a sentence or two.' }),
    conditions: t.stringList({
      description: 'What the license demands: `include-copyright`, `disclose-source`.',
      resolve: ({ conditions }) => [...conditions],
    }),
    permissions: t.stringList({
      description: 'What the license permits: `commercial-use`, `modifications`.',
      resolve: ({ permissions }) => [...permissions],
    }),
    limitations: t.stringList({
      description: 'What the license rules out: `no-liability`, `trademark-use`.',
      resolve: ({ limitations }) => [...limitations],
    }),
    content: t.exposeString('content', { description: 'Text of the license.' }),
  }),
});

const LicenseConnection = connectionOf('LicenseTemplate', License);

const Template = builder.objectRef<FileTemplate>('FileTemplate').implement({
  description: 'A file to begin with.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the template, which its kind and name make.',
      resolve: ({ kind, name }) => toGlobalId('FileTemplate', [kind, name]),
    }),
    name: t.exposeString('name', { description: 'Name of the template: `Node`, `C++`.' }),
    content: t.exposeString('content', { description: 'Text of the file.' }),
  }),
});

const TemplateConnection = connectionOf('FileTemplate', Template);

const TemplateKind = builder.enumType('FileTemplateKind', {
  description: 'A kind of file for which there are templates.',
  values: {
    GITIGNORE: { value: 'gitignores', description: '`.gitignore`, for files that are not to be committed.' },
    GITLAB_CI_YML: { value: 'gitlab_ci_ymls', description: '`.gitlab-ci.yml`, for the jobs of pipelines.' },
    DOCKERFILE: { value: 'dockerfiles', description: '`Dockerfile`, for container images.' },
  } as const,
});

const licenseArgs = builder.args((t) => ({ ...pageArgs, popular: onlyField(t, 'licenses that many projects use') }));

builder.queryFields((t) => ({
  licenseTemplates: t.field({
    type: LicenseConnection,
    description: 'The licenses to choose from, by key, with placeholders in their texts. Open to everyone.',
    args: licenseArgs,
    resolve: (_root, args, context, info) =>
      loadCountedPage(args, info, (page) => listLicenses(context, args.popular, page)),
  }),
  licenseTemplate: t.field({
    type: License,
    description: 'A license by key, with the year, and names if they are known, filled in. Open to everyone.',
    args: {
      key: t.arg.string({ required: true, description: 'Key of the license, such as `mit`.' }),
      projectName: t.arg.string({ description: 'Name of the project, for the text of the license.' }),
      fullname: t.arg.string({
        description: 'Name of the copyright holder, for the text of the license; the name of the caller when left out.',
      }),
    },
    resolve: (_root, { key, projectName, fullname }, context) =>
      findLicense(context, key, { project: projectName, fullName: fullname }),
  }),
  fileTemplates: t.field({
    type: TemplateConnection,
    description: 'The templates for a kind of file, by name. Open to everyone.',
    args: {
      ...pageArgs,
      kind: t.arg({ type: TemplateKind, required: true, description: 'The kind of file that the templates are for.' }),
    },
    resolve: (_root, args, context, info) =>
      loadCountedPage(args, info, (page) => listTemplates(context, args.kind, page)),
  }),
  fileTemplate: t.field({
    type: Template,
    description: 'A template for a kind of file, by name. Open to everyone.',
    args: {
      kind: t.arg({
        type: TemplateKind,
        required: true,
        description: 'What it is for: `GITIGNORE`, `GITLAB_CI_YML` or `DOCKERFILE`.',
      }),
      name: t.arg.string({ required: true, description: 'Name of the template, such as `Node`.' }),
    },
    resolve: (_root, { kind, name }, context) => findTemplate(context, kind, name),
  }),
}));
