CREATE TABLE "project_tag_bindings" (
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "project_tag_bindings_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "project_tag_bindings" ADD CONSTRAINT "project_tag_bindings_project_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "project_tag_bindings_key" ON "project_tag_bindings" USING btree ("project_id","key");