import type { World } from './world.ts';

/** Records a repository of images with an image of one blob, and a tag for it, without any content in the store. */
export async function recordedImage(
  world: World,
  { id: projectId }: { id: number },
  { name = world.unique('image'), tags = ['v1'] }: { name?: string; tags?: string[] } = {},
): Promise<number> {
  const { db } = world;
  const { id } = await db.containerRepository.create({ data: { projectId, name } });
  const digest = world.unique('sha256:');
  const blob = await db.containerBlob.create({ data: { digest, size: 1, secret: world.unique('secret') } });
  await db.containerBlobOfRepository.create({ data: { repositoryId: id, blobId: blob.id } });
  const manifest = await db.containerManifest.create({
    data: {
      ...{ repositoryId: id, digest, mediaType: 'application/vnd.oci.image.manifest.v1+json', configDigest: digest },
      ...{ content: Buffer.from('{}'), size: 2, totalSize: 1 },
      blobs: { create: { repositoryId: id, blobId: blob.id } },
    },
  });
  await db.containerTag.createMany({
    data: tags.map((tag) => ({ repositoryId: id, name: tag, manifestId: manifest.id })),
  });
  return id;
}
