import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { Project } from '#schema/projects/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import type { GroupContents, ProjectContents } from '#src/domain/lifecycle/contents.ts';

const OfProject = builder.objectRef<ProjectContents>('ProjectContents').implement({
  description: 'How much there is in a project, which is gone when it is deleted.',
  fields: (t) => ({
    issues: t.exposeInt('issues', { description: 'Number of issues, closed and confidential ones too.' }),
    mergeRequests: t.exposeInt('mergeRequests', { description: 'Number of merge requests into the project.' }),
    milestones: t.exposeInt('milestones', { description: 'Number of its own milestones.' }),
    snippets: t.exposeInt('snippets', { description: 'Number of snippets of the project.' }),
    pipelines: t.exposeInt('pipelines', { description: 'Number of pipelines that there were.' }),
    releases: t.exposeInt('releases', { description: 'Number of releases of the project.' }),
    packages: t.exposeInt('packages', { description: 'Number of published packages, each version one.' }),
    containerTags: t.exposeInt('containerTags', { description: 'Number of tags of container images.' }),
    members: t.exposeInt('members', { description: 'Number of members of the project itself.' }),
    forks: t.exposeInt('forks', { description: 'Number of forks, which stay but lose their source.' }),
  }),
});

const OfGroup = builder.objectRef<GroupContents>('GroupContents').implement({
  description: 'How much there is in a group and in the groups inside it, which is gone when it is deleted.',
  fields: (t) => ({
    subgroups: t.exposeInt('subgroups', { description: 'Number of groups inside, at any depth.' }),
    projects: t.exposeInt('projects', { description: 'Number of projects, those of groups inside too.' }),
    issues: t.exposeInt('issues', { description: 'Number of issues of these projects.' }),
    mergeRequests: t.exposeInt('mergeRequests', { description: 'Number of merge requests into these projects.' }),
    members: t.exposeInt('members', { description: 'Number of users who are members of one of the groups.' }),
    storageSize: t.expose('storageSize', { type: 'Long', description: 'Sum of the other sizes, in bytes.' }),
    repositorySize: t.expose('repositorySize', { type: 'Long', description: 'Size of the repositories, in bytes.' }),
    lfsObjectsSize: t.expose('lfsObjectsSize', { type: 'Long', description: 'Size of large objects, in bytes.' }),
    jobArtifactsSize: t.expose('jobArtifactsSize', { type: 'Long', description: 'Size of artifacts, in bytes.' }),
    packagesSize: t.expose('packagesSize', { type: 'Long', description: 'Size of packages, in bytes.' }),
    containerRegistrySize: t.expose('containerRegistrySize', {
      type: 'Long',
      description: 'Size of container images, in bytes.',
    }),
    uploadsSize: t.expose('uploadsSize', {
      type: 'Long',
      description: 'Size of the files that are attached to descriptions and comments, in bytes.',
    }),
    wikiSize: t.expose('wikiSize', {
      type: 'Long',
      description: 'Size of the repositories of wikis of the projects and of the groups, in bytes.',
    }),
    snippetsSize: t.expose('snippetsSize', {
      type: 'Long',
      description: 'Size of the repositories of snippets, in bytes.',
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  contents: t.field({
    type: OfProject,
    nullable: true,
    description: 'How much there is in the project; null for those who cannot delete it.',
    resolve: (project, _args, { actor, loaders }) =>
      actor !== null && can(actor, 'delete_project', project) ? loaders.projectContents.load(project.id) : null,
  }),
}));

builder.objectFields(Group, (t) => ({
  contents: t.field({
    type: OfGroup,
    nullable: true,
    description: 'How much there is in the group and in the groups inside; null for those who cannot delete it.',
    resolve: (group, _args, { actor, loaders }) =>
      actor !== null && can(actor, 'delete_group', group) ? loaders.groupContents.load(group.id) : null,
  }),
}));
