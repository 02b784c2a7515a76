import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const OWNERS = [
  {
    base: '/users/:id',
    of: 'User',
    all: operations.AttributesOfUserDocument,
    one: operations.AttributeOfUserDocument,
    more: { numeric: ['id'], hidden: ['group', 'project'] },
  },
  {
    base: '/groups/:id',
    of: 'Group',
    all: operations.AttributesOfGroupDocument,
    one: operations.AttributeOfGroupDocument,
    more: { hidden: ['user_id'] },
  },
  {
    base: '/projects/:id',
    of: 'Project',
    all: operations.AttributesOfProjectDocument,
    one: operations.AttributeOfProjectDocument,
    more: { hidden: ['user_id'] },
  },
];

/** What administrators note of users, groups and projects (people-and-projects.md, Custom attributes). */
export const customAttributes: Route[] = OWNERS.flatMap(
  ({ base, of, all, one, more: { hidden, ...rest } }): Route[] => [
    {
      method: 'GET',
      path: `${base}/custom_attributes`,
      operation: all,
      result: 'customAttributes',
      ...rest,
    },
    {
      method: 'GET',
      path: `${base}/custom_attributes/:key`,
      operation: one,
      result: 'customAttribute',
      ...rest,
    },
    {
      method: 'PUT',
      path: `${base}/custom_attributes/:key`,
      ...mutation(`SetAttributeOf${of}`, 'setCustomAttribute.customAttribute', '...AttributeRecord'),
      hidden,
      ...rest,
    },
    {
      method: 'DELETE',
      path: `${base}/custom_attributes/:key`,
      ...mutation(`DeleteAttributeOf${of}`, 'deleteCustomAttribute', 'deletedCustomAttributeKey'),
      hidden,
      status: 204,
      ...rest,
    },
  ],
);
