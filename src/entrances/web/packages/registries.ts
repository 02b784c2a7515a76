import type { RequestHandler } from 'express';
import type { RegistryRoute } from '#src/entrances/web/packages/call.ts';
import { COMPOSER } from '#src/entrances/web/packages/composer.ts';
import { CONAN } from '#src/entrances/web/packages/conan.ts';
import { DEBIAN } from '#src/entrances/web/packages/debian.ts';
import { GO } from '#src/entrances/web/packages/go.ts';
import { HELM } from '#src/entrances/web/packages/helm.ts';
import { MAVEN } from '#src/entrances/web/packages/maven.ts';
import { NUGET } from '#src/entrances/web/packages/nuget.ts';
import { PYPI } from '#src/entrances/web/packages/pypi.ts';
import { RUBYGEMS } from '#src/entrances/web/packages/rubygems.ts';
import { type RegistryOptions, serveRegistries } from '#src/entrances/web/packages/serve.ts';
import { TERRAFORM_MODULES } from '#src/entrances/web/packages/terraform_modules.ts';
import { TERRAFORM_STATES } from '#src/entrances/web/packages/terraform_states.ts';

/** The endpoints of all registries beside generic packages and npm, which are routes of the REST API. */
export const REGISTRY_ROUTES: readonly RegistryRoute[] = [
  ...PYPI,
  ...MAVEN,
  ...HELM,
  ...NUGET,
  ...COMPOSER,
  ...TERRAFORM_MODULES,
  ...TERRAFORM_STATES,
  ...GO,
  ...CONAN,
  ...RUBYGEMS,
  ...DEBIAN,
];

/**
 * The registries of packages below /api/v4, each with the protocol of its programs. They are a separate entrance, as git's is: none
 * of their endpoints is in the OpenAPI document. Other requests go to the next handler.
 */
export function packageRegistries(options: RegistryOptions): RequestHandler {
  return serveRegistries(REGISTRY_ROUTES, options);
}
