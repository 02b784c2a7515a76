import type { Publication } from '#src/domain/packages/publish.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** A module of Terraform as it is published; the name has the system behind a slash. A version is published once. */
export function modulePublication({ name, version }: { name: string; version: string }): Publication {
  const refusal = () =>
    new Forbidden('Package version already exists.').asExisting({ type: 'Package', name: `${name} ${version}` });
  return {
    ...{ type: 'terraform_module', name, version, fileName: moduleFileName({ name, version }) },
    once: { what: 'version', refusal },
  };
}

/** What the archive of a version is called. */
export function moduleFileName({ name, version }: { name: string; version: string }): string {
  return `${name.replace('/', '-')}-${version}.tgz`;
}
