import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import { License } from '#schema/templates/queries.ts';
import { type NewDescription as Begun, beginDescription } from '#src/domain/repository/description_templates.ts';
import {
  findProjectTemplate,
  listProjectTemplates,
  type ProjectTemplate as Template,
  type ProjectTemplateName as TemplateName,
} from '#src/domain/repository/project_templates.ts';

const ProjectTemplateKind = builder.enumType('ProjectTemplateKind', {
  description: 'What a template of a project is for.',
  values: {
    DOCKERFILE: { value: 'dockerfiles', description: '`Dockerfile`, for container images.' },
    GITIGNORE: { value: 'gitignores', description: '`.gitignore`, for files that are not to be committed.' },
    GITLAB_CI_YML: { value: 'gitlab_ci_ymls', description: '`.gitlab-ci.yml`, for the jobs of pipelines.' },
    LICENSE: { value: 'licenses', description: 'The license of the project, in a file.' },
    ISSUE: {
      value: 'issues',
      description: 'Descriptions of issues, from `.gitlab/issue_templates` of the repository.',
    },
    MERGE_REQUEST: {
      value: 'merge_requests',
      description: 'Descriptions of merge requests, from `.gitlab/merge_request_templates` of the repository.',
    },
  } as const,
});

const ProjectTemplateName = builder.objectRef<TemplateName>('ProjectTemplateName').implement({
  description: 'A template that a project offers.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What `template` finds it by.' }),
    name: t.exposeString('name', { description: 'Name of the template, as people read it.' }),
  }),
});

const ProjectTemplateNameConnection = connectionOf('ProjectTemplateName', ProjectTemplateName);

const ProjectTemplate = builder.objectRef<Template>('ProjectTemplate').implement({
  description: 'A template of a project with its text.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What `template` finds it by.' }),
    name: t.exposeString('name', { description: 'Name of the template, as people read it.' }),
    content: t.exposeString('content', { description: 'Text of the template, in which names are filled in.' }),
    license: t.expose('license', {
      type: License,
      nullable: true,
      description: 'What is known of the license; null for templates of other kinds.',
    }),
  }),
});

const DescriptionKind = builder.enumType('DescriptionKind', {
  description: 'What a description is of.',
  values: {
    ISSUE: { value: 'issues', description: 'For the description of a new issue.' },
    MERGE_REQUEST: { value: 'merge_requests', description: 'For the description of a new merge request.' },
  } as const,
});

/** What a description begins with. */
export const NewDescription = builder.objectRef<Begun>('NewDescription').implement({
  description: 'What the description of a new issue or merge request begins with.',
  fields: (t) => ({
    text: t.exposeString('text', {
      nullable: true,
      description: 'In Markdown; null if there is nothing to begin with.',
    }),
    template: t.exposeString('template', {
      nullable: true,
      description:
        'Name of the template of the repository that the text is; null for the text of the settings, or none.',
    }),
    templates: t.exposeStringList('templates', {
      description: 'Names of the templates that can be chosen; none for callers who cannot read the repository.',
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  newDescription: t.field({
    type: NewDescription,
    description:
      'What a new description begins with: the template that was chosen, else the text of the settings of the project, else the template `Default` of its repository.',
    args: {
      kind: t.arg({ type: DescriptionKind, required: true, description: 'What the description is of.' }),
      template: t.arg.string({
        description: 'Name of a template, in any case. Names that do not exist count as none.',
      }),
    },
    resolve: (project, { kind, template }, context) => beginDescription(context, project, kind, template),
  }),
  templates: t.field({
    type: ProjectTemplateNameConnection,
    description: 'The templates of a kind, by name. Those of descriptions are for callers who can read the repository.',
    args: {
      ...pageArgs,
      kind: t.arg({ type: ProjectTemplateKind, required: true, description: 'What the templates are for.' }),
    },
    resolve: (project, { kind, ...args }, context, info) =>
      loadCountedPage(args, info, (page) => listProjectTemplates(context, project, kind, page)),
  }),
  template: t.field({
    type: ProjectTemplate,
    description: 'The template of a kind with that key, in any case.',
    args: {
      kind: t.arg({ type: ProjectTemplateKind, required: true, description: 'What the template is for.' }),
      key: t.arg.string({ required: true, description: 'Key of the template: `Node`, `mit`, `Bug`.' }),
      projectName: t.arg.string({ description: 'Name of the project, for the text of a license.' }),
      fullname: t.arg.string({
        description: 'Name of the copyright holder, for the text of a license; the name of the caller when left out.',
      }),
    },
    resolve: (project, { kind, key, projectName, fullname }, context) =>
      findProjectTemplate(context, project, kind, key, { project: projectName, fullName: fullname }),
  }),
}));
