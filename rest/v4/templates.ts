import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const auth = 'optional';

export const templates: Route[] = [
  {
    method: 'GET',
    path: '/templates/licenses',
    operation: operations.LicenseTemplatesDocument,
    result: 'licenseTemplates',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/licenses/:name',
    operation: operations.LicenseTemplateDocument,
    result: 'licenseTemplate',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/gitignores',
    operation: operations.GitignoreTemplatesDocument,
    result: 'fileTemplates',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/gitignores/:name',
    operation: operations.GitignoreTemplateDocument,
    result: 'fileTemplate',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/gitlab_ci_ymls',
    operation: operations.GitlabCiYmlTemplatesDocument,
    result: 'fileTemplates',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/gitlab_ci_ymls/:name',
    operation: operations.GitlabCiYmlTemplateDocument,
    result: 'fileTemplate',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/dockerfiles',
    operation: operations.DockerfileTemplatesDocument,
    result: 'fileTemplates',
    auth,
  },
  {
    method: 'GET',
    path: '/templates/dockerfiles/:name',
    operation: operations.DockerfileTemplateDocument,
    result: 'fileTemplate',
    auth,
  },
  {
    method: 'GET',
    path: '/projects/:id/templates/:type',
    operation: operations.ProjectTemplatesDocument,
    result: 'project.templates',
    auth,
  },
  {
    method: 'GET',
    path: '/projects/:id/templates/licenses/:name',
    operation: operations.ProjectLicenseTemplateDocument,
    result: 'project.template.license',
    auth,
  },
  {
    method: 'GET',
    path: '/projects/:id/templates/:type/:name',
    operation: operations.ProjectTemplateDocument,
    result: 'project.template',
    auth,
  },
];
