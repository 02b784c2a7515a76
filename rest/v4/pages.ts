import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const PAGES = '/projects/:id/pages';
const DOMAINS = `${PAGES}/domains`;
const DOMAIN = `${DOMAINS}/:domain`;

const precheck = 'admin_pages';
const notFound = { PagesDomain: '404 Domain Not Found' };
/** The operator's proxy has the certificates. */
const unsupported = { certificate: [], key: [], user_provided_certificate: [], user_provided_key: [] };

export const pages: Route[] = [
  {
    method: 'GET',
    path: PAGES,
    operation: operations.ProjectPagesDocument,
    result: 'project.pages',
    precheck: 'read_pages',
  },
  {
    method: 'PATCH',
    path: PAGES,
    ...mutation('UpdatePages', 'updatePages.pages', '...PagesRecord'),
    names: {
      unique_domain_enabled: 'pages_unique_domain_enabled',
      https_only: 'pages_https_only',
      primary_domain: 'pages_primary_domain',
    },
    precheck,
  },
  {
    method: 'DELETE',
    path: PAGES,
    ...mutation('UnpublishPages', 'unpublishPages.pages', 'url'),
    status: 204,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/pages_access',
    operation: operations.ProjectPagesAccessDocument,
    result: 'project.pagesUrl',
    whenNull: { status: 403, message: '403 Forbidden' },
    auth: 'optional',
    description: 'Whether the caller can visit the site of a project: its address, or 403.',
  },
  {
    method: 'GET',
    path: '/pages/domains',
    operation: operations.PagesDomainsDocument,
    result: 'pagesDomains',
    precheck: 'administrate',
  },
  {
    method: 'GET',
    path: DOMAINS,
    operation: operations.ProjectPagesDomainsDocument,
    result: 'project.pagesDomains',
    precheck,
  },
  {
    method: 'POST',
    path: DOMAINS,
    ...mutation('CreatePagesDomain', 'createPagesDomain.pagesDomain', '...PagesDomainRecord'),
    unsupported,
    precheck,
  },
  {
    method: 'GET',
    path: DOMAIN,
    operation: operations.ProjectPagesDomainDocument,
    result: 'project.pagesDomain',
    precheck,
    notFound,
  },
  {
    method: 'PUT',
    path: DOMAIN,
    ...mutation('UpdatePagesDomain', 'updatePagesDomain.pagesDomain', '...PagesDomainRecord'),
    unsupported,
    precheck,
    notFound,
  },
  {
    method: 'DELETE',
    path: DOMAIN,
    ...mutation('DeletePagesDomain', 'deletePagesDomain', 'deletedPagesDomainId'),
    status: 204,
    precheck,
    notFound,
  },
  {
    method: 'PUT',
    path: `${DOMAIN}/verify`,
    ...mutation('VerifyPagesDomain', 'verifyPagesDomain.pagesDomain', '...PagesDomainRecord'),
    precheck,
    notFound,
  },
];
