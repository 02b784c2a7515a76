-- CreateTable
CREATE TABLE "deprecated_uses" (
    "field" TEXT NOT NULL,
    "program" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "first_used_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deprecated_uses_pkey" PRIMARY KEY ("field","program","client")
);

-- CreateIndex
CREATE INDEX "deprecated_uses_last_used_at_idx" ON "deprecated_uses"("last_used_at");
