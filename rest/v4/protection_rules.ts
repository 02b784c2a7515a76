import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The rules about who may push and delete images and packages. */
export const protectionRules: Route[] = [
  ...routesOf({
    type: 'ContainerProtectionRepositoryRule',
    path: '/projects/:id/registry/protection/repository/rules',
    parameter: 'protection_rule_id',
    list: operations.ContainerProtectionRepositoryRulesDocument,
    result: 'project.containerProtectionRepositoryRules',
  }),
  ...routesOf({
    type: 'PackagesProtectionRule',
    path: '/projects/:id/packages/protection/rules',
    parameter: 'package_protection_rule_id',
    list: operations.PackagesProtectionRulesDocument,
    result: 'project.packagesProtectionRules',
  }),
];

function routesOf({
  type,
  path,
  parameter,
  list,
  result,
}: {
  type: string;
  path: string;
  parameter: string;
  list: Route['operation'];
  result: string;
}): Route[] {
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const one = {
    path: `${path}/:${parameter}`,
    names: { id: parameter },
    numeric: [parameter],
    notFound: { [type]: '404 Not found' },
  };
  return [
    { method: 'GET', path, operation: list, result },
    { method: 'POST', path, ...mutation(`Create${type}`, `create${type}.${field}`, `...${type}Record`) },
    { method: 'PATCH', ...one, ...mutation(`Update${type}`, `update${type}.${field}`, `...${type}Record`) },
    { method: 'DELETE', ...one, ...mutation(`Delete${type}`, `delete${type}`, `deleted${type}Id`), status: 204 },
  ];
}
